"""Learning with an advisor (Zhao & Zhang), measured again: three studies.

    advisor-init    `init.py`: networks that learned from a teacher's games alone, against min-max (their figure 2)
    rollouts        `rollouts.py`: trained and played with games from leaves, or with the value alone (their figure 4)
    advisor-start   `start.py`: runs that begin with a teacher's games against others that do not, at equal cost

`training.py` is what they share. The modules named `..._sections.py` write the reports.
"""
