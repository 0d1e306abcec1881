"""Documents that are no text files: a separate process turns their bytes into text, structure and places."""
