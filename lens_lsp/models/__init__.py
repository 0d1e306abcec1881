"""The only door to a language model."""
