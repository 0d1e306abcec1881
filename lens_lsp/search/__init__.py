"""L3: the paper's section 4."""
