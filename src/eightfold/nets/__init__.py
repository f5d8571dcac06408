"""The networks room: the networks, what runs them, and the evaluator that gives a search its answers."""
