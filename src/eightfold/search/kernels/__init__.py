"""Search kernels, written once over `eightfold.games.contract` and specialised for each game."""
