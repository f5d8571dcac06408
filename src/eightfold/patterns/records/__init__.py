"""Game records by the hundred thousand, as a stream: start with `stream.py`."""
