"""Internal Symmetry Networks (Blair) for Go. Start with `network.py`."""
