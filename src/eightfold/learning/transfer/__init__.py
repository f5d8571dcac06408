"""Carrying a run to another machine in a few small files."""
