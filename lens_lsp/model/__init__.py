"""L0: the vocabulary. Frozen values, no input or output, no third party."""
