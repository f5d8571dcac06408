"""The command line: commands are in the modules beside this one (`playing.py`, `training.py`, `advising.py`, ...).

Bad input is one line on stderr and exit code 2; results go to stdout, progress to stderr.
"""

from __future__ import annotations

import io
import sys
from typing import Annotated, Any

import typer

from eightfold import __version__
from eightfold.cli import advising as advising  # importing these adds their commands
from eightfold.cli import pattern_pages as pattern_pages
from eightfold.cli import patterns as patterns
from eightfold.cli import pictures as pictures
from eightfold.cli import playing as playing
from eightfold.cli import solving as solving
from eightfold.cli import training as training
from eightfold.cli import utilities as utilities
from eightfold.cli.app import app
from eightfold.core.compiling import say_on_stderr
from eightfold.core.errors import EightfoldError
from eightfold.core.extras import EXTRAS, missing_extra

UsageError: Any = typer.BadParameter.__mro__[1]  # Click's, from Typer's own copy or not, as Typer's version has it


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        print(f"eightfold {__version__}")
        raise typer.Exit


def main() -> None:
    """The entry point: bad input becomes one line and exit code 2. (Ctrl-C is Typer's: exit code 130.)"""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a stone still shows the rest
    say_on_stderr()
    try:
        sys.exit(app(standalone_mode=False))
    except UsageError as error:
        if said := " ".join(error.format_message().split()):  # or Typer has printed the help
            where = error.ctx.command_path if error.ctx is not None else "eightfold"
            print(f"eightfold: {said[0].lower()}{said[1:].rstrip('.')}; see {where} --help", file=sys.stderr)
        sys.exit(error.exit_code)
    except typer.Abort:  # the input is at its end
        print("eightfold: aborted", file=sys.stderr)
        sys.exit(1)
    except EightfoldError as error:
        print(f"eightfold: {error}", file=sys.stderr)
        sys.exit(2)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in EXTRAS:
            raise
        print(f"eightfold: {missing_extra(error.name.split('.')[0])}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"eightfold: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
