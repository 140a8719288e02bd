"""Ways to damage the bytes of a store."""

import random
import re


def _bit(data: bytearray, chance: random.Random) -> bytearray:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data


def _cut(data: bytearray, chance: random.Random) -> bytearray:
    return data[: chance.randrange(1, len(data))]


def _header(data: bytearray, chance: random.Random) -> bytearray:
    data[:100] = chance.randbytes(100)
    return data


def _record(data: bytearray, chance: random.Random) -> bytearray:
    """Spoil the rows of one cell, where they stand."""
    places = [match.start() for match in re.finditer(rb'"value"', data)]
    first = chance.choice(places)
    data[first : first + 12] = bytes(byte ^ 1 for byte in data[first : first + 12])
    return data


def _pages(data: bytearray, chance: random.Random) -> bytearray:
    """Fill some kilobytes here and there with something else."""
    for _ in range(4):
        first = chance.randrange(100, len(data) - 1024)
        data[first : first + 1024] = chance.randbytes(1024)
    return data


SPOILS = {
    "a flipped bit": _bit,
    "an end cut off": _cut,
    "another header": _header,
    "a changed record": _record,
    "several wrong pages": _pages,
}
