"""Training data: samples, the replay buffer and the batches made from it."""
