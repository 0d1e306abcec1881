"""The systems that are compared, behind one protocol."""
