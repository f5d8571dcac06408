"""Training an Internal Symmetry Network by TD(lambda). Start with `loop.py`."""
