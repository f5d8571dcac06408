"""A game with its variations: a tree of moves, read from SGF and written to it.

    >>> tree = read_tree("(;GM[4]SZ[9];B[ee](;W[ff])(;W[dd];B[ed]))", most_nodes=100)
    >>> tree.main_line(), len(tree)
    ([40, 50], 5)

`eightfold.games.records.record` is about whole games and their main line; this is about what people do when they
analyse. Node 0 is the position before the first move; numbers are never used twice, so that a number once seen
stays true. In Go a pass is a move, the record may begin with stones, and ends of lines may have dead stones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from eightfold.core.errors import EightfoldError
from eightfold.games.game import Game, Position, make_game
from eightfold.games.records.record import GameRecord, RecordError, as_text
from eightfold.games.records.sgf import read_sgf, write_sgf
from eightfold.games.records.sgf_go import territory_marks
from eightfold.games.records.sgf_tree import COLOURS, LETTERS, Node, parse_trees
from eightfold.games.state import BLACK

ROOT = 0


@dataclass(eq=False)
class Branch:
    """One move of the tree."""

    number: int
    parent: int  # -1 for the root
    move: int  # -1 for the root
    children: list[int] = field(default_factory=list)


class MoveTree:
    """Moves and what could have been played instead."""

    def __init__(self, record: GameRecord, *, most_nodes: int) -> None:
        """The moves of the record are the first line."""
        self.record = replace(record, moves=(), seconds=(), dead=())
        self._most = most_nodes
        self._branches = {ROOT: Branch(ROOT, -1, -1)}
        self._next = 1
        node = ROOT
        for move in record.moves:
            node = self.add(node, move)
        self.dead: dict[int, tuple[int, ...]] = {node: record.dead} if record.dead else {}  # by node, in Go

    def __len__(self) -> int:
        return len(self._branches)

    def __contains__(self, node: int) -> bool:
        return node in self._branches

    def __iter__(self) -> Iterator[Branch]:
        return iter(self._branches.values())

    def __getitem__(self, node: int) -> Branch:
        if node not in self._branches:
            raise EightfoldError(f"there is no node {node} in this game")
        return self._branches[node]

    def add(self, parent: int, move: int) -> int:
        """The node that a move leads to, a new one if it was not there."""
        for child in self[parent].children:
            if self[child].move == move:
                return child
        if len(self) >= self._most:
            raise EightfoldError(f"this game has {len(self)} positions, more are not kept; remove a variation")
        node, self._next = self._next, self._next + 1
        self._branches[node] = Branch(node, parent, move)
        self[parent].children.append(node)
        return node

    def remove(self, node: int) -> list[int]:
        """Take a node away with all that follows; the numbers of what is gone."""
        if node == ROOT:
            raise EightfoldError("the empty board cannot be removed from a game")
        self[self[node].parent].children.remove(node)
        gone, open_ends = [], [node]
        while open_ends:
            last = open_ends.pop()
            open_ends.extend(self._branches.pop(last).children)
            self.dead.pop(last, None)
            gone.append(last)
        return gone

    def moves(self, node: int) -> list[int]:
        """The moves that lead to a node."""
        moves = []
        while node != ROOT:
            moves.append(self[node].move)
            node = self[node].parent
        return moves[::-1]

    def line(self, node: int) -> list[int]:
        """The nodes from the root through `node` to the end of its first variation."""
        before = []
        back = node
        while back != ROOT:
            before.append(back)
            back = self[back].parent
        line = [ROOT, *before[::-1]]
        while children := self[line[-1]].children:
            line.append(children[0])
        return line

    def main_line(self) -> list[int]:
        """The moves of the first variation everywhere."""
        return [self[node].move for node in self.line(ROOT)[1:]]


def read_tree(text: str, *, most_nodes: int) -> MoveTree:
    """The first game in an SGF text with those of its variations that the rules allow."""
    text = as_text(text)
    begin = next(parse_trees(text), None)
    if begin is not None and _count(begin[1], most_nodes) > most_nodes:
        raise RecordError(f"the game has more than {most_nodes} positions; paste a part of it")
    # The main line is read as strictly as ever; what is wrong in a side line is only left out.
    [record] = read_sgf(text, first=True)
    assert begin is not None  # read_sgf found a game
    tree = MoveTree(record, most_nodes=most_nodes)
    game = make_game(record.game)
    if game.spec.has_pass:
        _add_lines(tree, begin[1], record.start(game))
    else:
        _add_variations(tree, begin[1], game, len(record.moves))
    return tree


def _count(root: Node, most: int) -> int:
    """The nodes of a tree, as far as they matter."""
    count, open_ends = 0, [root]
    while open_ends and count <= most:
        node = open_ends.pop()
        count += 1
        open_ends.extend(node.children)
    return count


def _add_variations(tree: MoveTree, root: Node, game: Game, played: int) -> None:
    setup = sum(
        len([value for value in node.properties.get(name, []) if value.strip()])
        for node in root.main_line()
        for name in ("AB", "AW")
    )
    at = tree.line(ROOT)[min(setup, played)]
    open_ends = [(root, at, game.after(tree.moves(at)))]
    while open_ends:
        node, at, position = open_ends.pop()
        for name in filter(COLOURS.__contains__, node.properties):
            move = _action(game, node.first(name))
            if move is None:
                continue  # a pass: somebody gave up here
            if COLOURS[name] != position.to_move:
                break
            try:
                position = position.play(move)
            except EightfoldError:
                break
            at = tree.add(at, move)
        else:
            # The first variation is entered first, so it stays the first.
            open_ends.extend((child, at, position) for child in reversed(node.children))


def _add_lines(tree: MoveTree, root: Node, start: Position) -> None:
    """The same for Go, read as `sgf_go.py` reads the main line: a colour that moves twice means a pass in between,
    and two passes that did not end the game were taken back."""
    passed = start.game.points
    open_ends = [(root, ROOT, start)]
    while open_ends:
        node, at, position = open_ends.pop()
        for name in filter(COLOURS.__contains__, node.properties):
            move = _action(start.game, node.first(name))
            if move is None:
                break
            if at == ROOT and move < passed and start.stones.flat[move] == COLOURS[name]:
                continue  # a handicap stone that was played as a move
            moves = [move] if COLOURS[name] == position.to_move else [passed, move]
            try:
                for step in moves:
                    if position.is_over and position.moves[-2:] == (passed, passed):
                        at = tree[tree[at].parent].parent
                        position = _replayed(tree, at, start)
                    position = position.play(step)
                    at = tree.add(at, step)
            except EightfoldError:
                break
        else:
            open_ends.extend((child, at, position) for child in reversed(node.children))


def _replayed(tree: MoveTree, node: int, start: Position) -> Position:
    position = start
    for move in tree.moves(node):
        position = position.play(move)
    return position


def _action(game: Game, value: str) -> int | None:
    """The action of a point as SGF writes it, 'hh' or 'h8'; None for what is no point of this board."""
    point = value.strip().lower()
    if game.spec.has_pass and (not point or (point == "tt" and game.size <= 19)):
        return game.points
    try:
        if len(point) == 2 and point[0] in LETTERS and point[1] in LETTERS:
            return game.action((LETTERS.index(point[1]), LETTERS.index(point[0])))
        return game.action(point) if point else None
    except EightfoldError:
        return None


def write_tree(tree: MoveTree) -> str:
    """A tree as SGF, variations and all."""
    game = make_game(tree.record.game)
    start = tree.record.start(game)
    first = start.to_move - BLACK
    head = write_sgf([tree.record]).rstrip()
    if not head.endswith(")"):
        raise RecordError("a game's head does not end as it should")
    parts = [head[:-1], _marks(tree, ROOT, start)]
    # A loop over what is still to be written: text, or (node, its colour).
    todo: list[str | tuple[int, int]] = [")", *((child, first) for child in reversed(tree[ROOT].children))]
    if len(tree[ROOT].children) > 1:
        todo = [")", *_bracketed(tree[ROOT].children, first)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        node, colour = item
        row, column = divmod(tree[node].move, game.size)
        point = LETTERS[column] + LETTERS[row] if tree[node].move < game.points else ""  # an empty move is a pass
        parts.append(f";{'BW'[colour]}[{point}]")
        parts.append(_marks(tree, node, start))
        children = tree[node].children
        todo.extend(_bracketed(children, 1 - colour) if len(children) > 1 else [(c, 1 - colour) for c in children])
    return "".join(parts) + "\n"


def _marks(tree: MoveTree, node: int, start: Position) -> str:
    """Territory and dead stones where somebody marked them."""
    if node not in tree.dead:
        return ""
    return territory_marks(_replayed(tree, node, start), tree.dead[node])


def _bracketed(children: list[int], colour: int) -> list[str | tuple[int, int]]:
    """Variations to be written, the last first, because they are taken from the end."""
    items: list[str | tuple[int, int]] = []
    for child in reversed(children):
        items += [")", (child, colour), "("]
    return items
