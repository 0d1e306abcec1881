"""L1: what there is to read, as it is at this moment."""
