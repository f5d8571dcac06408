"""Whether a training configuration can be trained: each value alone, and all of them together.

What a single value may be is declared in `learning/config.py`. Here is what depends on several, on the game or on this
machine. Everything is checked before a run's folder is made.
"""

from __future__ import annotations

from eightfold.core.errors import EightfoldError
from eightfold.core.settings import check_settings, settings_of
from eightfold.games.game import Game, make_game
from eightfold.learning.config import AS_IN_SELF_PLAY, TrainConfig
from eightfold.learning.data.batches import check_symmetries
from eightfold.learning.varying import games_of_selfplay
from eightfold.nets.inference.backends.choice import read_backend
from eightfold.nets.inference.cache import check_cache
from eightfold.nets.store.description import Description
from eightfold.search.leaves import check_leaves
from eightfold.search.openings import opening_points
from eightfold.search.settings import PlaySettings


def check_config(config: TrainConfig) -> None:
    """An error in one line for values that make no sense, alone or together."""
    check_settings(config)
    game = make_game(config.game)
    description = Description(network=config.network, game=game.text, encoder=config.encoder, symmetry=config.symmetry)
    description.shape()  # a wrong game, encoder or mode
    read_backend(config.backend, config.device)
    _check_selfplay(config, game)
    _check_training(config, game)
    _check_evaluation(config)


def _check_selfplay(config: TrainConfig, game: Game) -> None:
    settings = config.selfplay
    if len(games_of_selfplay(game, settings.games)) > 1:
        if settings.cache:
            raise EightfoldError(
                f"selfplay.cache = {settings.cache} knows positions and not their rules, which selfplay.games varies;"
                " set selfplay.cache = 0"
            )
        if settings.opening_balance:
            raise EightfoldError(
                f"selfplay.opening_balance = {settings.opening_balance:g} values openings under one set of rules, and"
                " selfplay.games varies them; set selfplay.opening_balance = 0"
            )
    if settings.full_share < 1 and settings.fast_playouts == 0:
        raise EightfoldError(
            f"selfplay.full_share = {settings.full_share:g} leaves moves to fast searches;"
            " selfplay.fast_playouts = 0 is too small for them, 1 or more is needed"
        )
    room = len(opening_points(game.size, settings.opening_anywhere))
    if settings.opening_share > 0 and settings.opening_stones > room:
        where = "on the board" if settings.opening_anywhere else "in the middle of the board"
        raise EightfoldError(
            f"selfplay.opening_stones = {settings.opening_stones} is too large for {game.text}: there is room for"
            f" {room} {where}; lower it, or set selfplay.opening_share = 0"
        )
    check_leaves(settings, game)
    if settings.theta_until > 0 and settings.leaves != "mixed":
        raise EightfoldError(
            f"selfplay.theta_until = {settings.theta_until:g} lets theta fall, which selfplay.leaves ="
            f" {settings.leaves} has none of; set selfplay.leaves = mixed, or selfplay.theta_until = 0"
        )
    if settings.theta_until > 0 and config.minutes == config.games == 0:
        raise EightfoldError(
            f"selfplay.theta_until = {settings.theta_until:g} is a share of the run, and this one has no end;"
            " set minutes or games"
        )
    if settings.cache:
        check_cache(settings.cache, settings.cache_key, config.symmetry)


def _check_training(config: TrainConfig, game: Game) -> None:
    settings = config.training
    check_symmetries(settings.symmetries, config.symmetry, settings.symmetries_from_game, of_game=game.symmetries)
    if settings.validation_every == 1:
        raise EightfoldError(
            "training.validation_every = 1 keeps every game from training; 0, for none, or 2 and more is needed"
        )
    if settings.steps_a_round and settings.epochs_a_round:
        raise EightfoldError(
            f"training.steps_a_round = {settings.steps_a_round} and training.epochs_a_round ="
            f" {settings.epochs_a_round:g} both say how many steps a round has; one of them must be 0"
        )
    variants = len(game.symmetries) if config.symmetry == "augment-eager" else 1  # stored ones are samples too
    for key, window in (("window", settings.window), ("later_window", settings.later_window)):
        if window * variants < settings.batch_size and not (key == "later_window" and window == 0):
            raise EightfoldError(
                f"training.{key} = {window} is too small for training.batch_size = {settings.batch_size}:"
                " the window must hold a batch"
            )


def _check_evaluation(config: TrainConfig) -> None:
    settings = config.evaluation
    if settings.games == settings.keep_networks == 0 and (settings.every_minutes or settings.every_games):
        raise EightfoldError(
            "evaluation.games = 0 only keeps networks, and evaluation.keep_networks = 0 keeps none: raise one of them,"
            " or set evaluation.every_minutes and evaluation.every_games to 0"
        )


def play_settings(config: TrainConfig) -> PlaySettings:
    """How the network of a run plays outside of self-play; a draw has no penalty then."""
    selfplay, evaluation = config.selfplay, config.evaluation
    searched = {declared.field: getattr(selfplay, declared.field) for declared in settings_of(PlaySettings)}
    searched |= {"exploration": evaluation.exploration, "contempt": 0.0}
    if evaluation.threat_nodes != AS_IN_SELF_PLAY:
        searched["threat_nodes"] = evaluation.threat_nodes
    return PlaySettings(**searched)
