"""`python -m eightfold` is the command `eightfold`."""

from eightfold.cli import main

main()
