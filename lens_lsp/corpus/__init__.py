"""What there is to read, as it is at this moment: how files are found, opened, decoded, kept and scanned."""
