"""Where the games of a run come from: this process (`local.py`) or actors on a cluster (`cluster.py`)."""
