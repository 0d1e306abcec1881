"""L2: the paper's typed interfaces to a relevance oracle; here, the offline one's analysis."""
