"""Who judges whether a passage states what is asked: the interface, and those who implement it."""
