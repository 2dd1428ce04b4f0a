"""How `print` in gdb and lldb shows a value: four digits, no addresses, a line for each list in a list."""
import re
import struct

from . import program
from .tape import Node, Tape, number, text_at

_max_shown = 16  # items of a list

# Names of types, in regular expressions that lldb understands, too.
_VALUE = "[a-z0-9]+::Value"  # microgpt's, and those that lessons make for themselves
_NODE = "[a-z0-9]+::Node"
_STD = "std::(__[a-z0-9]+::)?"
_LIST_OF = f"{_STD}(vector|span)<(const )?"
_LIST = f"({_LIST_OF})+microgpt::Values?( const)?[,>].*|microgpt::Values( const)?([,>].*)?"
KINDS = f"double|{_VALUE}|{_NODE} \\*|microgpt::Node|{_LIST}"


def in_words(value):
    """The value in words, or None if the debugger shows it in its own way. What is not made yet holds garbage."""
    kind = program.kind(value)
    try:
        if kind == "double":
            return number(program.double(value))
        if re.fullmatch(_VALUE, kind):
            return f"Value({node(program.words(value)[0], kind[:-5] + 'Node')})"
        if re.fullmatch(_NODE + r" \*", kind):
            return f"-> Node({node(program.words(value)[0], kind[:-2])})"
        if kind == "microgpt::Node":
            return f"Node({node(program.address(value), kind)})"
        if re.fullmatch(_LIST, kind):
            return lists(kind, program.words(value))
    except (program.Error, LookupError, OverflowError, ValueError, struct.error) as error:
        return f"({error})"
    return None


def node(address, kind):
    if kind != "microgpt::Node":  # a lesson's own
        size, at = program.layout(kind)
        content = program.read(address, size)
        data, grad = (struct.unpack_from("=d", content, at[name])[0] for name in ("data", "grad"))
        return f"data={number(data)}, grad={number(grad)}"
    if Tape().number(address) is None:
        raise program.Error("not on the tape: not made yet, or its Scope has ended")
    found = Node(address)
    return f"data={number(found.data)}, grad={number(found.grad)}, op='{text_at(found.op)}', children={found.n_edge}"


def items(kind, words):
    """The kind of a list's items, and the words of each. A vector is [begin, end, ...], a span [begin, size]."""
    inner = "microgpt::Value" if kind.startswith("microgpt::Values") else re.sub(f"^{_LIST_OF}", "", kind)
    width = 1 if re.match(r"microgpt::Value\b", inner) else 2 if re.match(f"{_STD}span", inner) else 3
    begin, size = words[:2]
    if not re.match(f"{_STD}span", kind):
        size = (size - begin) // (8 * width)
    if not 0 <= size <= 1_000_000:
        raise program.Error("this list is not made yet")
    flat = struct.unpack(f"={size * width}Q", program.read(begin, 8 * size * width)) if size else ()
    return inner, [flat[i : i + width] for i in range(0, len(flat), width)]


def nodes(kind, words):
    """The nodes of a list of Values."""
    inner, found = items(kind, words) if re.fullmatch(_LIST, kind) else ("", [])
    if not re.match(r"microgpt::Value\b", inner):
        raise program.Error("this is not a list of Values")
    tape = Tape()
    if any(tape.number(address) is None for address, in found):
        raise program.Error("not on the tape: not made yet, or their Scope has ended")
    return [Node(address) for address, in found]


def lists(kind, words):
    """A list of Values: one line. A list of lists: a line for each."""
    inner, found = items(kind, words)
    more = len(found) - _max_shown
    if not re.fullmatch(_LIST, inner):
        numbers = [number(node.data) for node in nodes(kind, words)[:_max_shown]] + ["..."] * (more > 0)
        return f"Values({len(found)}) [{', '.join(numbers)}]"
    lines = [lists(inner, item).split("\n")[0] for item in found[:_max_shown]]
    sizes = {re.match(r"(?:Values\(\d+\) )?", line)[0] for line in lines}
    size = sizes.pop() if len(sizes) == 1 else ""
    of = re.sub(r"Values\((\d+)\) ", r" of \1 Values", size)
    lines = [f"  [{i}] {line.removeprefix(size)}" for i, line in enumerate(lines)] + [f"  and {more} more"] * (more > 0)
    return "\n".join([f"{len(found)} list{'s' * (len(found) != 1)}{of}", *lines])
