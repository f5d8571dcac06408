"""Commands to play and watch: match, tournament, play, levels, serve, show, players; heavy imports are inside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from eightfold.cli.app import ClusterOption, GameOption, JsonOption, SeedOption, app
from eightfold.cli.records import chosen_game
from eightfold.core.errors import EightfoldError

_HOW_TO_OPEN = typer.Option(
    "--openings", help="How games begin: random, balanced, balanced:NETWORK, or a file or folder of openings."
)
OpeningsOption = Annotated[str, _HOW_TO_OPEN]
OptionalOpenings = Annotated[str | None, _HOW_TO_OPEN]


@app.command()
def match(
    first: Annotated[str, typer.Argument(help="A player, e.g. alphabeta:depth=4 (see `eightfold players`).")],
    second: Annotated[str, typer.Argument(help="Its opponent.")],
    game: GameOption = "gomoku:size=15",
    games: Annotated[
        int | None, typer.Option(min=1, help="Number of games; colours alternate (default: 20, or 1 with a human).")
    ] = None,
    seed: SeedOption = 0,
    opening_plies: Annotated[
        int,
        typer.Option(
            min=0, help="Moves at the start (balanced openings: 4). Each opening is played twice, with colours swapped."
        ),
    ] = 0,
    openings: OpeningsOption = "random",
    parallel: Annotated[int, typer.Option(min=0, help="Games played side by side; 0 chooses.")] = 0,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
    sgf: Annotated[Path | None, typer.Option(help="Save the games in this folder, one SGF file each.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Draw the final board of the last game.")] = False,
) -> None:
    """Play a match between two players and report the score with its confidence interval."""
    from eightfold.arena.cluster_games import games_on
    from eightfold.arena.folder import GameFolder
    from eightfold.arena.match import play_match
    from eightfold.arena.match_report import MatchProgress, print_match
    from eightfold.arena.players import HUMAN
    from eightfold.arena.report import draw_board
    from eightfold.arena.results import GameResult
    from eightfold.games.game import make_game

    with_human = HUMAN in (first, second)
    if with_human and as_json:
        raise EightfoldError("--json prints one object and nothing else; a human needs to see the board: leave one out")
    games = games or (1 if with_human else 20)
    the_game = make_game(game, trusted=True)
    folder = None if sgf is None else GameFolder(sgf, the_game)
    with games_on(cluster) as play, MatchProgress(first, second, games) as progress:

        def finished(result: GameResult) -> None:
            progress.advance(result)
            if with_human:
                draw_board(result.position)
            if folder is not None:
                folder.add(result.record(event=f"{first} - {second}, seed {seed}"))

        report = play_match(
            the_game,
            first,
            second,
            games=games,
            seed=seed,
            opening_plies=opening_plies,
            openings=openings,
            parallel=parallel,
            play=play,
            progress=finished,
        )
    if as_json:
        print(json.dumps(report.as_dict()))
        return
    if show and not with_human:  # who saw it already
        draw_board(report.results[-1].position)
    print_match(report)


@app.command()
def tournament(
    folder: Annotated[Path, typer.Argument(help="Its folder; in one that is there only what is missing is played.")],
    player: Annotated[
        list[str] | None, typer.Argument(help="The players, two or more (see `eightfold players`); none: only show.")
    ] = None,
    game: Annotated[str | None, typer.Option("--game", help="The game (default: gomoku:size=15).")] = None,
    games: Annotated[int | None, typer.Option(help="Games of each pair (default: 20); colours alternate.")] = None,
    style: Annotated[
        str | None,
        typer.Option(help="round-robin (default), or gauntlet: the first player against all others."),
    ] = None,
    opening_plies: Annotated[
        int | None,
        typer.Option(help="Moves at the start (default: 4). Each opening is played from both sides."),
    ] = None,
    openings: OptionalOpenings = None,
    seed: Annotated[int | None, typer.Option(help="Equal seeds give equal games (default: 0).")] = None,
    anchor: Annotated[str | None, typer.Option(help="The player whose Elo is 0 (default: the mean is).")] = None,
    parallel: Annotated[int, typer.Option(min=0, help="Games played side by side; 0 chooses.")] = 0,
    threads: Annotated[int, typer.Option(min=0, help="Threads; 0: all cores.")] = 0,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let players play each other and rate them. Ctrl-C stops; the same command goes on, with more players if named."""
    from eightfold.arena.cluster_games import games_on
    from eightfold.arena.tournaments.play import tournament as play_tournament
    from eightfold.arena.tournaments.terminal import TournamentProgress, print_standings
    from eightfold.core.signals import Interrupted, stopped_by_signals

    def stop() -> None:
        raise Interrupted

    standings = None
    with games_on(cluster) as play, TournamentProgress() as progress, stopped_by_signals(stop) as heard:
        standings = play_tournament(
            folder,
            player or [],
            game=game,
            games=games,
            style=style,
            opening_plies=opening_plies,
            openings=openings,
            seed=seed,
            anchor=anchor,
            parallel=parallel,
            threads=threads,
            play=play,
            progress=progress.advance,
            say=progress.say,
        )
    if standings is None:
        played = f"{progress.done:,} of {progress.total:,} games are played"
        progress.say(f"stopped: {played}; the same command goes on with {folder}")
        raise typer.Exit(128 + heard[0])
    if as_json:
        print(json.dumps(standings.as_dict()))
        return
    print_standings(standings)
    progress.say(f"written to {folder}")


@app.command()
def play(
    player: Annotated[
        str | None,
        typer.Argument(
            help="Your opponent, e.g. alphabeta:depth=4 (see `eightfold players`; default: the best for the game)."
        ),
    ] = None,
    game: GameOption = "gomoku:size=15",
    colour: Annotated[str, typer.Option(help="Your colour: black (moves first) or white.")] = "black",
    level: Annotated[
        str | None, typer.Option(help="How strong a network plays, from beginner to master (see `eightfold levels`).")
    ] = None,
    opening: Annotated[
        str, typer.Option(help="free, or swap2: who is black places three stones, the other chooses a colour.")
    ] = "free",
    seed: SeedOption = 0,
) -> None:
    """Play against a player, in this terminal."""
    from eightfold.arena.players import at_level, best_player, read_player
    from eightfold.arena.terminal import TerminalGame
    from eightfold.core.errors import unknown
    from eightfold.games.game import COLOUR_NAMES, make_game
    from eightfold.nets.levels import read_level_ratings

    colours = {name: number for number, name in COLOUR_NAMES.items()}
    if colour.lower() not in colours:
        raise unknown("colour", colour, colours)
    if opening not in ("free", "swap2"):
        raise unknown("opening", opening, ("free", "swap2"))
    the_game, swap2 = make_game(game, trusted=True), opening == "swap2"
    if player is None:
        player = best_player(the_game)
        level = level or read_player(player).kind.usual_level
    if level is not None:
        place, player = read_player(player).argument, at_level(player, level)
        found = read_level_ratings(place)
        if level in found.ratings:
            rating = found.ratings[level]
            typer.echo(f"{level}: Elo {round(rating.elo):+d} ± {rating.error:.0f}, where {found.zero} has 0")
    TerminalGame(the_game, player, swap2=swap2, colour=colours[colour.lower()], seed=seed).run()


@app.command()
def levels(
    network: Annotated[str, typer.Argument(help="A network: a shipped one, a run, a checkpoint.")],
    rate: Annotated[
        Path | None,
        typer.Option(help="Measure them in a tournament in this folder, and write what it finds beside the network."),
    ] = None,
    games: Annotated[int, typer.Option(min=2, help="Games of each pair in that tournament.")] = 20,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Show the named strengths of a network with their Elo ratings, or measure them. Ctrl-C stops; later it goes on."""
    from eightfold.arena.level_tournament import rate_levels
    from eightfold.arena.report import print_levels
    from eightfold.arena.tournaments.terminal import TournamentProgress
    from eightfold.core.signals import Interrupted, stopped_by_signals
    from eightfold.nets.levels import read_level_ratings
    from eightfold.nets.store.places import find_network
    from eightfold.nets.store.policy_value import PolicyValueNetwork

    find_network(network, PolicyValueNetwork)  # an error if there is none

    def stop() -> None:
        raise Interrupted

    if rate is not None:
        done = False
        with TournamentProgress() as progress, stopped_by_signals(stop) as heard:
            rate_levels(network, rate, games=games, seed=seed, progress=progress.advance, say=progress.say)
            done = True
        if not done:
            progress.say(f"stopped: {progress.done:,} of {progress.total:,} games; the same command goes on")
            raise typer.Exit(128 + heard[0])
    ratings = read_level_ratings(network)
    if as_json:
        print(json.dumps(ratings.as_dict()))
        return
    print_levels(ratings)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on. 127.0.0.1 serves this machine only.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on. If it is taken, a free one is used.")
    ] = 8008,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    run: Annotated[
        list[Path] | None, typer.Option(help="A run to watch and whose network to play against; repeatable.")
    ] = None,
    player: Annotated[list[str] | None, typer.Option(help="A player to add to the menus; repeatable.")] = None,
    isn: Annotated[
        list[Path] | None,
        typer.Option(help="An Internal Symmetry Network to show on Go boards, a file or a run; repeatable."),
    ] = None,
    patterns: Annotated[
        list[Path] | None, typer.Option(help="A pattern library for the pattern explorer; repeatable.")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(help="The game that the page opens with; a game of your own (python:MODULE) joins its menu."),
    ] = None,
) -> None:
    """Open the page: play, analyse, see a position from its eight sides, watch training."""
    from eightfold.web.serve import serve as serve_page

    serve_page(
        host=host,
        port=port,
        browser=not no_browser,
        runs=run or [],
        players=player or [],
        isns=isn or [],
        patterns=patterns or [],
        game=game,
    )


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A game record, .sgf or .psq.")],
    number: Annotated[int, typer.Option("--game", min=1, help="Number of the game in the file.")] = 1,
    ply: Annotated[
        int | None, typer.Option(min=0, help="Show the position after this many moves (default: the last).")
    ] = None,
) -> None:
    """Show a recorded game: who played, how it ended, and a position."""
    from eightfold.arena.report import draw_board, print_record
    from eightfold.games.records.files import read_records

    records = read_records(file)
    record = chosen_game(file, records, number, ply, options=("--game", "--ply"))
    print_record(record, number, len(records))
    draw_board(record.position(ply))


@app.command()
def players(
    names: Annotated[list[str] | None, typer.Argument(help="Which ones, e.g. net mcts; none: all of them.")] = None,
) -> None:
    """Explain players and their options."""
    from eightfold.arena.report import print_players

    print_players(names or ())
