"""What is judged by exact rules, without a model: counts, lists, summaries, the wording of an answer."""
