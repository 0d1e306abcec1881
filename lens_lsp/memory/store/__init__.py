"""One SQLite file for each workspace, whatever happens to files: damage, kills, full disks, other processes."""
