"""What a move does at once to the groups beside it, as bits: for games in which stones are taken.

A game that knows offers the kernel `move_effects` (`eightfold.games.contract`); of any other game it says nothing, 0.
The features of Coulom 2007, section 4.2, are made of these, without reading ladders.
"""

from __future__ import annotations

CAPTURE = 1  # takes a group of the opponent's
RESCUE = 2  # takes one that touches an own group in atari
ATARI = 4  # leaves a group of the opponent's one liberty
EXTENSION = 8  # an own group in atari has more than one liberty afterwards
SELF_ATARI = 16  # the stone's group has one liberty afterwards, or none where suicide is allowed
OWN_EYE = 32  # fills what looks like an own eye
