"""A chat model as the judge."""
