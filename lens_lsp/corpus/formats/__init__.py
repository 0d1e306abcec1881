"""Readers: decoded bytes to text and structure, one module per family."""
