"""L2: whether what an answer says is what the passages it cites say. Pure: no file, no clock, no model."""
