"""The reader: a small cross-encoder that says whether a passage states what is asked, and in which words."""
