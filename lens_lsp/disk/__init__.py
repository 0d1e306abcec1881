"""Files on disk as several processes change them: replaced whole, and locked while they change."""
