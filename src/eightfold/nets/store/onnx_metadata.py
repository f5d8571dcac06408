"""The metadata of an ONNX file, read without the package `onnx` and without running anything.

An ONNX model is a protocol buffer: fields, each with a number and a kind, one after the other. Only the field
`metadata_props` is looked into, which is a list of keys and values; all else is stepped over.
"""

from __future__ import annotations

from collections.abc import Iterator

METADATA, KEY, VALUE = 14, 1, 2  # numbers of fields, from onnx.proto
VARINT, EIGHT_BYTES, WITH_LENGTH, FOUR_BYTES = 0, 1, 2, 5  # kinds of fields
LONGEST_VARINT = 10  # bytes

# Keys of ours, beside those of a network's description.
ANY_SIZE = "any_size"  # yes or no: whether the weights fit every board size
SOURCE = "weights_sha256"  # of the checkpoint's file that was exported
KIND = "kind"  # of networks without a policy and a value: what they are


def read_metadata(data: bytes) -> dict[str, str]:
    """Keys and values; a `ValueError` if `data` is no protocol buffer."""
    found: dict[str, str] = {}
    for number, content in _fields(memoryview(data)):
        if number == METADATA:
            pair = {inner: bytes(text).decode("utf-8", "replace") for inner, text in _fields(content)}
            found[pair.get(KEY, "")] = pair.get(VALUE, "")
    return found


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The fields with a length, as their number and their content."""
    place = 0
    while place < len(data):
        tag, place = _varint(data, place)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            _, place = _varint(data, place)
        elif kind == WITH_LENGTH:
            length, place = _varint(data, place)
            if place + length > len(data):
                raise ValueError("it ends in the middle of a field")
            yield number, data[place : place + length]
            place += length
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            place += 8 if kind == EIGHT_BYTES else 4
        else:
            raise ValueError(f"a field of the unknown kind {kind}")


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    """A number in groups of seven bits, the least first, and the place behind it."""
    value = 0
    for k in range(LONGEST_VARINT):
        if place + k >= len(data):
            raise ValueError("it ends in the middle of a number")
        value |= (data[place + k] & 127) << (7 * k)
        if data[place + k] < 128:
            return value, place + k + 1
    raise ValueError("a number without an end")
