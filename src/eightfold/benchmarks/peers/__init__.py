"""Other people's programs at the same work as ours. Each is optional: None where it is not installed."""
