"""Files that are written from Python."""
