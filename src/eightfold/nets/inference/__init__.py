"""Asking a network: the evaluator, its cache, and the backends that run the weights."""
