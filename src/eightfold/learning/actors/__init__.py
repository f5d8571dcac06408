"""Where the games of a run come from: this process (`local.py`), its GPU (`gpu.py`) or a cluster (`cluster.py`)."""
