"""Reads the program's memory without calling any of its functions."""
import struct

import program


def vector(value):
    """The items of a std::vector. Before its constructor has run, the pointers may be anything."""
    begin, end = program.scalars(value)[:2]
    if not 0 <= int(end - begin) <= 1_000_000:
        raise program.Error("this vector is not made yet")
    return [begin[i] for i in range(int(end - begin))]


def span(value):
    """The items of a std::span."""
    begin, size = program.scalars(value)[:2]
    return [begin[i] for i in range(int(size))]


def read(address, n, code):
    """n numbers at an address, of a type named as in struct.unpack: 'd' a double, 'Q' a pointer."""
    return struct.unpack(f"={n}{code}", program.read(int(address), n * struct.calcsize(code))) if n else ()
