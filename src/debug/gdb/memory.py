"""Reads the program's memory without calling any of its functions."""
import struct

import gdb


def scalars(value):
    """The numbers and pointers in a struct, bases first, in the order of declaration. The standard containers are read
    this way: a vector is [begin, end, capacity], a span [begin, size], a unique_ptr [pointer]."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return [value]
    members = [field for field in kind.fields() if hasattr(field, "bitpos")]  # without the static ones
    return [scalar for member in members for scalar in scalars(value[member])]


def vector(value):
    """The items of a std::vector. Before its constructor has run, the pointers may be anything."""
    begin, end = scalars(value)[:2]
    if not 0 <= int(end - begin) <= 1_000_000:
        raise gdb.MemoryError("this vector is not made yet")
    return [begin[i] for i in range(int(end - begin))]


def span(value):
    """The items of a std::span."""
    begin, size = scalars(value)[:2]
    return [begin[i] for i in range(int(size))]


def string(value):
    """The text of a std::string."""
    begin, length = scalars(value)[:2]
    return begin.string(length=int(length))


def read(address, n, code):
    """n numbers at an address, of a type named as in struct.unpack: 'd' a double, 'Q' a pointer."""
    if n == 0:
        return ()
    return struct.unpack(f"={n}{code}", gdb.selected_inferior().read_memory(int(address), n * struct.calcsize(code)))


def type_name(kind):
    """The name of a type, or of what it refers to: 'microgpt::Value' for const Value &."""
    kind = kind.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        kind = kind.target().strip_typedefs()
    return kind.unqualified().name or ""


def pointed_type_name(kind):
    """The name of the type that a pointer points to, or '' for any other type."""
    kind = kind.strip_typedefs()
    return type_name(kind.target()) if kind.code == gdb.TYPE_CODE_PTR else ""


def plain(value):
    """The value without a reference around it."""
    return value.referenced_value() if value.type.strip_typedefs().code == gdb.TYPE_CODE_REF else value
