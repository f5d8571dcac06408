"""Posteriors that can be trusted: what was seen of a pattern, smoothed by what is known of coarser ones.

    4x4:  (plays + k * posterior of the 3x3 pattern inside) / (matches + k)
    3x3:  (plays + k * mean posterior of the table) / (matches + k)

A pattern that was never seen so has the posterior of the 3x3 pattern inside it: there is no threshold at which one
backs off. How many matches the coarser pattern is worth, k, is chosen by empirical Bayes, from the counts alone: if the
true posteriors of a table's patterns are beta distributed round the coarser ones, plays are beta-binomial, and k is the
value that makes the counts most likely. Held-out games are not looked at.

Read next: `judgement.py`, which makes probabilities of moves of these.
"""

from __future__ import annotations

import math

import numpy as np

from eightfold.core.jit import Ints, kernel
from eightfold.patterns.library import Table
from eightfold.patterns.teams import TEMPLATE_NAMES, Floats, Teams
from eightfold.patterns.templates import Template, templates_with

LEAST_K, MOST_K = 0.1, 1e5
SAMPLE = 100_000  # patterns of a table from which k is estimated
NEAR_ENOUGH = 0.02  # in the logarithm of k
GOLDEN = (math.sqrt(5) - 1) / 2
SURELY = 1e-9  # no posterior is closer to 0 or 1


def smoothed_posteriors(teams: Teams) -> tuple[Floats, Floats]:
    """[numbers] smoothed posteriors, and [10] those of unseen patterns by template."""
    library = teams.library
    values = np.ones(teams.count)
    unknown = np.full(len(TEMPLATE_NAMES), SURELY)
    overall = _rate(*[library.tables[name] for name in teams.tables])
    for name, numbers in sorted(teams.tables.items(), key=lambda entry: library.template_of(entry[0]).side):
        table, template = library.tables[name], library.template_of(name)
        usual = _rate(table) if len(table.codes) else overall
        coarse = np.full(len(table.codes), usual)
        if template.side > 3:
            inside = _small_numbers(teams, template, table)
            coarse = np.where(inside > 0, values[inside], usual)
        values[numbers] = smooth(table, coarse)
        for index, each in enumerate(TEMPLATE_NAMES):
            if teams.numbering.offsets[index] >= 0 and library.table_for(_template(each)) == name:
                unknown[index] = usual
    return values, unknown


def _template(name: str) -> Template:
    return next(t for t in templates_with((3, 4)) if t.name == name)


def _rate(*tables: Table) -> float:
    """The posterior of an average pattern."""
    matches = sum(int(np.sum(table.matches, dtype=np.int64)) for table in tables)
    plays = sum(int(np.sum(table.plays, dtype=np.int64)) for table in tables)
    return min(max(max(plays, 1) / max(matches, 2), SURELY), 1 - SURELY)


def smooth(table: Table, coarse: Floats) -> Floats:
    """[K]: the posteriors of a table, drawn to the coarser ones."""
    matches, plays = np.asarray(table.matches, np.float64), np.asarray(table.plays, np.float64)
    coarse = np.clip(coarse, SURELY, 1 - SURELY)
    k = worth_of_coarser(matches, plays, coarse)
    return (plays + k * coarse) / (matches + k)


def worth_of_coarser(matches: Floats, plays: Floats, coarse: Floats) -> float:
    """The k that makes the counts most likely, by golden-section search over its logarithm."""
    if not len(matches):
        return 1.0
    step = max(1, len(matches) // SAMPLE)
    sample = tuple(np.ascontiguousarray(each[::step]) for each in (matches, plays, coarse))
    low, high = math.log(LEAST_K), math.log(MOST_K)
    while high - low > NEAR_ENOUGH:
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if _log_evidence(sample, math.exp(left)) > _log_evidence(sample, math.exp(right)):
            high = right
        else:
            low = left
    return math.exp((low + high) / 2)


@kernel
def _log_evidence(counts: tuple[Floats, ...], k: float) -> float:
    """The logarithm of the beta-binomial probability of the counts, less what does not depend on k."""
    matches, plays, coarse = counts
    total = 0.0
    for i in range(matches.shape[0]):
        own, other = k * coarse[i], k * (1.0 - coarse[i])
        total += math.lgamma(plays[i] + own) - math.lgamma(own)
        total += math.lgamma(matches[i] - plays[i] + other) - math.lgamma(other)
        total += math.lgamma(k) - math.lgamma(matches[i] + k)
    return total


def _small_numbers(teams: Teams, template: Template, table: Table) -> Ints:
    """[K]: the numbers of the 3x3 patterns inside 4x4 ones, 0 where the library does not know them."""
    small = next(each for each in templates_with((3,)) if each.place == template.place)
    offset = teams.numbering.offsets[TEMPLATE_NAMES.index(small.name)]
    if offset < 0:
        return np.zeros(len(table.codes), np.int64)
    places = {point: digit for digit, point in enumerate(template.offsets(template.rotations[0]))}
    digits = np.array([places[point] for point in small.offsets(small.rotations[0])], np.int64)
    inside = np.empty(len(table.codes), np.int64)
    _pick_digits(np.ascontiguousarray(table.codes, np.int64), 3**digits, inside)
    return teams.numbering.slots[offset + inside].astype(np.int64)


@kernel
def _pick_digits(codes: Ints, places: Ints, inside: Ints) -> None:
    for i in range(codes.shape[0]):
        inside[i] = 0
        for digit in range(places.shape[0] - 1, -1, -1):
            inside[i] = 3 * inside[i] + codes[i] // places[digit] % 3
