"""L1: values as people write them, and arithmetic on them. Pure: no file, no clock, no model."""
