"""What a run does not show: an arm beside itself over another corpus, and what an arm costs to keep."""
