"""What a learner may write after a command: loss, x[3], *x.node->child[0], #17, wte[2][5]. Lists and matrices are
indexed here: calling their operator[] in the program could write new nodes on the tape."""
import re

import memory
import parameters
import program
from node import Node
from parameters import Element
from tape import Tape


_last = None  # the address of the node named last


def find(text):
    """The Node, or the Element of a parameter matrix, that the text names; the node named last if it is empty."""
    global _last
    if not text:
        if _last is None or not Tape().has(_last):
            raise program.Error("name a node that is on the tape: a Value, a Node, or #N")
        return Node(_last)
    found = Tape().node(int(text[1:])) if re.fullmatch(r"#\d+", text) else node_or_element(evaluate(text), text)
    if isinstance(found, Node):
        _last = found.address
    return found


def evaluate(text):
    """The value of an expression. Indices at its end are applied here; *x[1] is *(x[1]), and left to the debugger."""
    is_path = re.match(r"[A-Za-z_]", text)
    name, indices = re.fullmatch(r"(.*?)((?:\[[^][]*\])*)", text).groups() if is_path else (text, "")
    thing = parameters.named(name) or program.evaluate(name)
    for index in re.findall(r"\[([^][]*)\]", indices):
        try:
            thing = items(thing)[index.strip('"') if '"' in index else int(program.evaluate(index))]
        except (IndexError, KeyError):
            raise program.Error(f"{text}: there is no [{index}]") from None
    return thing


def items(thing):
    """Makes a value of the program indexable in Python; other values are returned for the debugger to index."""
    if not isinstance(thing, program.Value):
        return thing
    value = program.plain(thing)
    name = program.type_name(value)
    if name == "microgpt::Parameters":
        return parameters.by_name(value)
    if name in ("microgpt::Matrix", "microgpt::Parameter"):
        return parameters.of_matrix(value)
    if name == "microgpt::Values" or name.startswith(("std::span<", "std::vector<")):
        return memory.items(value)
    return value


def node_or_element(thing, text):
    if isinstance(thing, Element):
        return thing
    if isinstance(thing, program.Value):
        value = program.plain(thing)
        if program.type_name(value) == "microgpt::Value":
            value = value["node"]
        address = value if program.pointed_type_name(value) else value.address
        if address is not None:
            if Tape().has(address):
                return Node(address)
            element = parameters.element_at(address, parameters.of_program())
            if element is not None:
                return element
    raise program.Error(f"{text} is neither a Value or Node on the tape nor an element of a parameter matrix")
