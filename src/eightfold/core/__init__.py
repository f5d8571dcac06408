"""What every room stands on: errors, settings and specs, compiled kernels, randomness, threads."""
