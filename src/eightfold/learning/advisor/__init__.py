"""Learning from an advisor before learning alone: start with `teacher.py`."""
