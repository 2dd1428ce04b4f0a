"""Reads the program's memory without calling any of its functions."""
import struct

import program


def extent(value):
    """The address of the first item of a std::vector or std::span, as a pointer, and the number of items. Before its
    constructor has run, they may be anything."""
    begin, end = program.scalars(value)[:2]
    size = int(end) if program.type_name(value).startswith("std::span<") else int(end - begin)
    if not 0 <= size <= 1_000_000:
        raise program.Error("this list is not made yet")
    return begin, size


def items(value):
    """The items of a std::vector or std::span."""
    begin, size = extent(value)
    return [begin[i] for i in range(size)]


def read(address, n, code):
    """n numbers at an address, of a type named as in struct.unpack: 'd' a double, 'Q' a pointer."""
    return struct.unpack(f"={n}{code}", program.read(int(address), n * struct.calcsize(code))) if n else ()


def text(address):
    """The text that a const char* points to."""
    found = b""
    while not found.endswith(b"\0"):
        found += program.read(address + len(found), 1)
    return found[:-1].decode()
