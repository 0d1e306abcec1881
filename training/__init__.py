"""What makes the tables that are shipped; no part of the package."""
