"""Records of games in files: SGF and psq, with variations. Start with `record.py`."""
