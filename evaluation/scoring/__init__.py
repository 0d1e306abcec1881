"""What an answer is worth against its gold, and how sure a figure is."""
