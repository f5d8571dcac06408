"""The folder of a run: configuration, checkpoints, metrics, and how a run stops and goes on."""
