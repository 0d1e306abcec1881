"""Mutation testing of what must not be wrong."""
