"""GTP: as an engine for controllers, and as a player that starts engines."""
