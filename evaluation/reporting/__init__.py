"""Run folders as people read them: tables, pictures, and a page of failures."""
