"""Whether an LMDB file is whole, found out by reading it page by page.

LMDB maps its file and follows the numbers in it, so that a file that was cut, or whose pages were scribbled on, ends
the process with a signal. `read_records` walks the same pages with plain reads and believes nothing: every page that is
reached lies in the file and is what it should be, every key is where a search would look for it, and every other page
is on the list of free pages, which LMDB will write to.

The layout is that of LMDB 0.9 on 64-bit machines: two meta pages; branch and leaf pages with sorted pointers to nodes;
runs of overflow pages for large values.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

META_HEAD = struct.Struct("=QHHHH II QQ")  # page header, magic, version, address, size of the map
TREE = struct.Struct("=IHH QQQQ Q")  # pad, flags, depth, branch, leaf and overflow pages, entries, root
TAIL = struct.Struct("=QQ")  # last page, transaction
PAGE, NODE, NUMBER = struct.Struct("=QHHHH"), struct.Struct("=HHHH"), struct.Struct("=Q")
MAGIC, NOTHING = 0xBEEFC0DE, (1 << 64) - 1
BRANCH, LEAF, OVERFLOW, META = 1, 2, 4, 8
BIG = 1  # a node whose value is on overflow pages
DEEPEST = 32


class Damaged(Exception):
    """What is wrong with a file, in a few words."""


def can_check() -> bool:
    """Whether this machine's LMDB has the layout that is known here."""
    return sys.maxsize > 1 << 32


def read_records(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """All keys and values of an LMDB file in their order, from the last transaction that was finished."""
    with open(path, "rb") as file:
        pages = _Pages(file.fileno())
        yield from pages.walk(pages.main)
        pages.check_free()


class _Meta(NamedTuple):
    page_size: int
    free: tuple[int, ...]  # the tree of free pages
    main: tuple[int, ...]
    last: int  # page
    transaction: int


class _Pages:
    def __init__(self, file: int) -> None:
        self._file, self._length = file, os.fstat(file).st_size
        if self._length < 2 * 512:
            raise Damaged(f"it has {self._length} bytes")
        first = self._meta(0, None)
        second = self._meta(first.page_size, first.page_size)
        newest = second if second.transaction > first.transaction else first
        self._size, self.free, self.main, self._last = newest[:4]
        if self._last > 1 << 48:
            raise Damaged("it has no end")
        try:
            self._reached = bytearray(self._last + 1)
        except MemoryError:
            raise Damaged("it has no end") from None
        self._reached[0:2] = b"\1\1"

    def _meta(self, place: int, size: int | None) -> _Meta:
        length = META_HEAD.size + 2 * TREE.size + TAIL.size
        data = os.pread(self._file, length, place)
        if len(data) < length:
            raise Damaged(f"it has {self._length} bytes")
        _, _, flags, _, _, magic, version, _, _ = META_HEAD.unpack_from(data)
        free, main = (TREE.unpack_from(data, META_HEAD.size + TREE.size * k) for k in (0, 1))
        last, transaction = TAIL.unpack_from(data, META_HEAD.size + 2 * TREE.size)
        page = free[0]
        wrong = flags != META or magic != MAGIC or version != 1 or page not in (1 << bit for bit in range(9, 17))
        if wrong or (size is not None and page != size):
            raise Damaged("its beginning is not LMDB's")
        return _Meta(page, free, main, last, transaction)

    def _read(self, number: int, pages: int = 1) -> bytes:
        """A page that belongs to a tree: it is in the file and in no other place."""
        if not 2 <= number <= self._last - pages + 1:
            raise Damaged(f"there is no page {number}")
        if (number + pages) * self._size > self._length:
            raise Damaged(f"it has {self._length} bytes and needs {(self._last + 1) * self._size}")
        if any(self._reached[number : number + pages]):
            raise Damaged(f"page {number} is used twice")
        self._reached[number : number + pages] = b"\1" * pages
        data = os.pread(self._file, pages * self._size, number * self._size)
        if len(data) < pages * self._size or NUMBER.unpack_from(data)[0] != number:
            raise Damaged(f"page {number} is another")
        return data

    def walk(self, tree: tuple[int, ...], by_number: bool = False) -> Iterator[tuple[bytes, bytes]]:
        """The keys and values of a tree; keys of the list of free pages are numbers."""
        _, _, depth, _, _, _, entries, root = tree
        if root == NOTHING or entries == 0:
            if not (root == NOTHING and entries == 0):
                raise Damaged("its entries are miscounted")
            return
        found = 0
        last = b""
        for key, value in self._page(root, depth, by_number, None, None):
            if found and _order(last, by_number) >= _order(key, by_number):
                raise Damaged("its keys are not in order")
            last = key
            found += 1
            yield key, value
        if found != entries:
            raise Damaged(f"it has {found} entries instead of {entries}")

    def _page(
        self, number: int, depth: int, by_number: bool, low: bytes | None, high: bytes | None
    ) -> Iterator[tuple[bytes, bytes]]:
        """What a page holds, or those below it; all keys are from `low` to below `high`."""
        data = self._read(number)
        _, _, flags, lower, upper = PAGE.unpack_from(data)
        if flags & ~0x10 != (LEAF if depth == 1 else BRANCH) or not 0 < depth <= DEEPEST:
            raise Damaged(f"page {number} is of another kind")
        count = (lower - PAGE.size) // 2
        if lower < PAGE.size or lower > upper or upper > self._size or lower % 2 or count == 0:
            raise Damaged(f"page {number} is not in order")
        places = struct.unpack_from(f"={count}H", data, PAGE.size)
        nodes = []
        for place in places:
            if not upper <= place <= self._size - NODE.size:
                raise Damaged(f"page {number} is not in order")
            first, second, third, key_size = NODE.unpack_from(data, place)
            start = place + NODE.size
            key = data[start : start + key_size]
            if len(key) < key_size:
                raise Damaged(f"page {number} is not in order")
            nodes.append((key, first | second << 16, third, start + key_size))
        if depth > 1:
            for k, (key, low_half, high_half, _) in enumerate(nodes):
                below = low if k == 0 else key
                above = nodes[k + 1][0] if k + 1 < count else high
                yield from self._page(low_half | high_half << 32, depth - 1, by_number, below, above)
            return
        for key, size, node_flags, start in nodes:
            order = _order(key, by_number)
            if (low is not None and order < _order(low, by_number)) or (
                high is not None and order >= _order(high, by_number)
            ):
                raise Damaged(f"page {number} is in the wrong place")
            yield key, self._value(data, number, size, node_flags, start)

    def _value(self, data: bytes, number: int, size: int, flags: int, start: int) -> bytes:
        if flags not in (0, BIG) or start + (8 if flags else size) > self._size:
            raise Damaged(f"page {number} is not in order")
        if not flags:
            return data[start : start + size]
        first = NUMBER.unpack_from(data, start)[0]
        head = os.pread(self._file, PAGE.size, min(first * self._size, self._length))
        # There may be more pages than needed: a value that took the place of a larger one keeps them.
        pages = struct.unpack_from("=I", head, 12)[0] if len(head) == PAGE.size else 0
        if not -(-(PAGE.size + size) // self._size) <= pages <= self._last:
            raise Damaged(f"page {first} is of another kind")
        large = self._read(first, pages)
        if PAGE.unpack_from(large)[2] & ~0x10 != OVERFLOW:
            raise Damaged(f"page {first} is of another kind")
        return large[PAGE.size : PAGE.size + size]

    def check_free(self) -> None:
        """After the walk: every page that was not reached is free, and no other."""
        listed: list[int] = []
        for _, value in self.walk(self.free, by_number=True):
            if len(value) % 8 or not value:
                raise Damaged("its list of free pages is not in order")
            count, *numbers = struct.unpack(f"={len(value) // 8}Q", value)
            if count > len(numbers) or sorted(numbers[:count], reverse=True) != numbers[:count]:
                raise Damaged("its list of free pages is not in order")
            listed += numbers[:count]
        for number in listed:
            if number > self._last or self._reached[number]:
                raise Damaged(f"page {number} is used and free")
            self._reached[number] = 1
        if not all(self._reached):
            raise Damaged(f"page {self._reached.index(0)} is neither used nor free")


def _order(key: bytes, by_number: bool) -> bytes:
    """What a key is compared by: a number, from its most significant byte on."""
    return key[::-1] if by_number and sys.byteorder == "little" else key
