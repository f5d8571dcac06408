"""Networks on disk: what describes them, their checkpoints, and exported files."""
