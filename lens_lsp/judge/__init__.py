"""Who judges whether a passage states what is asked, and whether an answer says what its passages say."""
