"""Doubles and the project's types in words: four digits, one line, no addresses."""
import re

import memory
import program
from node import Node, number
from parameters import Parameter, by_name
from tape import Tape

_max_items = 16
_max_rows = 2
_max_cols = 4


def listed(items, max_shown):
    """The first items with commas, and '...' if there are more."""
    return "[" + ", ".join(items[:max_shown]) + (", ..." if len(items) > max_shown else "") + "]"


def in_open_scope(tape, value):
    """Whether the Scope in which this Value or Values was made is still open; only checked builds know."""
    scope = program.scalars(value["made_in_"])  # none in a build that does not check
    return not scope or tape.is_open(int(scope[0]))


def value(value):
    tape = Tape()
    if tape.nodes.number(value["node"]) is None or not in_open_scope(tape, value):
        return "Value(not on the tape: not made yet, or its Scope has ended)"
    return Node(value["node"]).summary("Value")


def node(node):
    if Tape().nodes.number(node.address) is None:
        return "Node(not on the tape: not made yet, or its Scope has ended)"
    return Node(node.address).summary()


def values(values):
    begin, size = program.scalars(values["item_"])[:2]
    if int(size) == 0:
        return "Values(0) []"
    tape = Tape()
    if tape.pointers.number(begin) is None or not in_open_scope(tape, values):
        return "Values(not on the tape: not made yet, or their Scope has ended)"
    nodes = memory.read(begin, int(size), "Q")
    return f"Values({int(size)}) {listed([number(Node(node).data) for node in nodes], _max_items)}"


def rows(parameter):
    shown = [parameter.row(i) for i in range(min(parameter.rows, _max_rows + 1))]
    return listed([listed([number(x) for x in row], _max_cols) for row in shown], _max_rows)


def parameter(parameter, kind="Parameter"):
    matrix = Parameter(parameter)
    return f"{kind}({matrix.name}, shape=({matrix.rows}, {matrix.cols}), data={rows(matrix)})"


def matrix(matrix):
    return parameter(matrix["parameter_"].dereference(), "Matrix")


def parameters(parameters):
    matrices = by_name(parameters).values()
    return f"Parameters(numbers={sum(p.rows * p.cols for p in matrices)}, matrices={len(matrices)})"


def tape(value):
    tape = Tape(value)
    last = [f"#{i} {tape.node(i).summary()}" for i in range(max(0, tape.size - 2), tape.size)]
    return f"Tape({tape.size} nodes, the last: {', '.join(last)})" if last else "Tape(0 nodes)"


def pointer(pointer):
    name = program.pointed_type_name(pointer)
    if int(pointer) == 0:
        return "nullptr"
    if name in ("microgpt::Node", "microgpt::Value"):
        program.read(int(pointer), 1)  # fails if the pointer is garbage
        return "-> " + text_of(pointer.dereference())
    return "-> " + name.removeprefix("microgpt::")


def draft(value):
    """A Value of lesson 03 or 04, or a pointer to a Node of theirs: what it points to."""
    node = program.scalars(value)[0].dereference()
    kind = "Value" if program.type_name(value).endswith("::Value") else "-> Node"
    return f"{kind}(data={number(float(node['data']))}, grad={number(float(node['grad']))})"


by_type = {
    "double": lambda x: number(float(x)),
    "microgpt::Value": value,
    "microgpt::Node": node,
    "microgpt::Values": values,
    "microgpt::Parameter": parameter,
    "microgpt::Matrix": matrix,
    "microgpt::Parameters": parameters,
    "microgpt::Tape": tape,
}


def function_for(value):
    """The function that puts a value into words, or None if the debugger shows it in its own way."""
    name, pointed = program.type_name(value), program.pointed_type_name(value)
    if re.fullmatch(r"lesson\d+::Value", name) or re.fullmatch(r"lesson\d+::Node", pointed):
        return draft
    return pointer if pointed.startswith("microgpt::") else by_type.get(name)


def text_of(value):
    """The value in words, with function_for. Its memory holds garbage if it is not constructed yet."""
    try:
        return function_for(value)(value)
    except (program.Error, OverflowError, ValueError):
        return "(not made yet)"
