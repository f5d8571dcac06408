"""The Gomocup protocol: as an engine for managers, and as a player that starts engines."""
