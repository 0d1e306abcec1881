"""The desktop assistant: a page for the browser on this machine, and the HTTP it speaks with us."""
