"""The learning room: self-play, samples, the replay buffer, batches and the trainer."""
