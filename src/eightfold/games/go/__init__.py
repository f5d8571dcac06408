"""Go: rules, scoring, superko, handicap. Start with `rules.py`."""
