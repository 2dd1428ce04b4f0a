"""Doubles and the project's types in words: four digits, one line, no addresses."""
import re

import memory
import program
from node import Node, number
from parameters import by_name, of_matrix
from tape import Tape

_max_items = 16
_max_rows = 2
_max_cols = 4


def listed(items, max_shown):
    """The first items with commas, and '...' if there are more."""
    return "[" + ", ".join(items[:max_shown]) + (", ..." if len(items) > max_shown else "") + "]"


def node(address, kind):
    if not Tape().has(address):
        return f"{kind}(not on the tape: not made yet, or its Scope has ended)"
    return Node(address).summary(kind)


def values(values):
    """Any list of Values."""
    nodes = memory.read(*memory.extent(values), "Q")
    tape = Tape()
    if not all(tape.has(node) for node in nodes):
        return "Values(not on the tape: not made yet, or their Scope has ended)"
    return f"Values({len(nodes)}) {listed([number(Node(node).data) for node in nodes], _max_items)}"


def lists(value):
    """A list of lists: a line for each."""
    items = memory.items(value)
    sizes = {memory.extent(item)[1] for item in items}
    size = f"{sizes.pop()} " if len(sizes) == 1 else ""
    kind = "lists" if items and function_for(items[0]) == lists else "Values"
    lines = [re.sub(r"\b1 lists", "1 list", f"{len(items)} lists of {size}{kind}")]
    for i, item in enumerate(items[:_max_items]):
        lines.append(f"  [{i}] {text_of(item).splitlines()[0].removeprefix(f'Values({size.strip()}) ')}")
    if len(items) > _max_items:
        lines.append(f"  and {len(items) - _max_items} more")
    return "\n".join(lines)


def rows(parameter):
    shown = [parameter.row(i) for i in range(min(parameter.rows, _max_rows + 1))]
    return listed([listed([number(x) for x in row], _max_cols) for row in shown], _max_rows)


def matrix(value):
    """A Matrix or a Parameter."""
    matrix = of_matrix(value)
    kind = program.type_name(value).removeprefix("microgpt::")
    name = matrix.name and f"{matrix.name}, "
    return f"{kind}({name}shape=({matrix.rows}, {matrix.cols}), data={rows(matrix)})"


def parameters(parameters):
    matrices = by_name(parameters).values()
    return f"Parameters(numbers={sum(p.rows * p.cols for p in matrices)}, matrices={len(matrices)})"


def tape(value):
    tape = Tape(value)
    size = len(tape.nodes)
    last = [f"#{i} {tape.node(i).summary('Node')}" for i in range(max(0, size - 2), size)]
    return f"Tape({size} nodes, the last: {', '.join(last)})" if last else "Tape(0 nodes)"


def pointer(pointer):
    name = program.pointed_type_name(pointer)
    if int(pointer) == 0:
        return "nullptr"
    if name in ("microgpt::Node", "microgpt::Value"):
        program.read(int(pointer), 1)  # fails if the pointer is garbage
        return "-> " + text_of(pointer.dereference())
    return "-> " + name.removeprefix("microgpt::")


def draft(value):
    """A Value of lessons 03 or 04, or a pointer to a Node of theirs: what it points to."""
    node = program.scalars(value)[0].dereference()
    kind = "Value" if program.type_name(value).endswith("::Value") else "-> Node"
    return f"{kind}(data={number(float(node['data']))}, grad={number(float(node['grad']))})"


_list = "std::(__[0-9a-z]+::)?(vector|span)<(const )?"
by_type = {  # patterns that lldb understands, too; the first that fits counts
    "double": lambda x: number(float(x)),
    "microgpt::Value": lambda x: node(x["node"], "Value"),
    "microgpt::Node": lambda x: node(x.address, "Node"),
    f"microgpt::Values|{_list}microgpt::Value( const)?[,>].*": values,
    f"({_list})+microgpt::Values?( const)?[,>].*": lists,
    "microgpt::Parameter": matrix,
    "microgpt::Matrix": matrix,
    "microgpt::Parameters": parameters,
    "microgpt::Arena<microgpt::Node,.*": tape,
    "lesson[0-9]+::Value": draft,
}


def function_for(value):
    """The function that puts a value into words, or None if the debugger shows it in its own way."""
    name, pointed = program.type_name(value), program.pointed_type_name(value)
    if re.fullmatch(r"lesson\d+::Node", pointed):
        return draft
    if pointed.startswith("microgpt::"):
        return pointer
    return next((function for pattern, function in by_type.items() if re.fullmatch(pattern, name)), None)


def text_of(value):
    """The value in words, with function_for. Its memory holds garbage if it is not constructed yet."""
    try:
        return function_for(value)(program.plain(value))
    except (program.Error, OverflowError, ValueError):
        return "(not made yet)"
