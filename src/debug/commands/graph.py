"""Walking the graph: graph, node, child, parents, parent."""
import graph_picture
import parameters
import program
import svg
from command import Command
from expression import find
from node import Node, number
from tape import Tape

_max_shown = 8  # children shown of one node


def node_named(text):
    """The node that the text names, or the one named last if it is empty."""
    node = find(text)
    if not isinstance(node, Node):
        raise program.Error(f"{text} is a parameter, not a node; try: why {text}")
    return node


class Describe:
    """A node in words: number, operation, the parameters it reads, data and grad."""

    def __init__(self):
        self.tape = Tape()
        self.matrices = parameters.of_program()

    def name(self, node):
        row = ""
        if node.n_row:
            element = parameters.element_at(node.row_grad, self.matrices)
            if element is not None:
                row = " " + (element.name if node.op_name == "parameter" else element.row_name)
        return f"#{self.tape.numbers[node.address]} {node.op_name}{row}"

    def line(self, node):
        return f"{self.name(node)}: data {number(node.data)}, grad {number(node.grad)}"


def show(text, depth):
    """Prints the node that the text names, and what it was computed from."""
    node = node_named(text)
    describe = Describe()
    print(describe.line(node))
    show_children(node, depth, describe, "", set())


def show_children(node, depth, describe, indent, seen):
    """Prints the node's children, `depth` levels deep. `seen` are the nodes that were printed before."""
    if depth == 0:
        return
    children = list(zip(node.children(), node.local_grads()))
    for i, (address, local_grad) in enumerate(children[:_max_shown]):
        child = Node(address)
        again = " (see above)" if address in seen and child.n_child else ""
        print(f"{indent}  [{i}] {describe.line(child)}, local_grad {number(local_grad)}{again}")
        if not again:
            seen.add(address)
            show_children(child, depth - 1, describe, indent + "    ", seen)
    if len(children) > _max_shown:
        print(f"{indent}  [{_max_shown}] to [{len(children) - 1}]: {len(children) - _max_shown} more children")


class Graph(Command):
    """graph [EXPR] [DEPTH] [> FILE.svg]: what a node was computed from, DEPTH levels down (default 2).

Each line is a node: its number on the tape, its operation, data and grad. local_grad is the derivative of the node
above with respect to it. Without EXPR: the node named last.

With a file, it is drawn: the nodes with the largest shares of the gradient."""

    def run(self, text):
        text, file = svg.split(text)
        words = text.split()
        depth = int(words.pop()) if words and words[-1].isdigit() else 2
        if len(words) > 1:
            raise program.Error(f"graph takes a node and a depth, as in graph loss 3; '{words[-1]}' is no depth")
        named = " ".join(words)
        if file:
            node, describe = node_named(named), Describe()
            graph_picture.draw(f"{named or describe.name(node)}: where it comes from", node, depth, describe).write(file)
        else:
            show(named, depth)


class NodeCommand(Command):
    """node [EXPR]: show a node and its children. Then walk on with child N and parent N.

EXPR is an expression of the program that is a Value or a Node, or #N, node number N on the tape. Without it: the node
named last."""

    name = "node"

    def run(self, text):
        show(text, 1)


def go_to(found, text, kind):
    """Names the node at the index that the text gives, 0 if it is empty, in a list of addresses."""
    index = int(program.evaluate(text or "0"))
    if not 0 <= index < len(found):
        raise program.Error(f"there is no {kind} {index}; this node has {len(found)}")
    show(f"#{Tape().numbers[found[index]]}", 1)


class Child(Command):
    """child N: go to child N (default 0) of the node named last."""

    def run(self, text):
        go_to(find("").children(), text, "child")


def parents_of(node, tape):
    """(parent, i) for each node on the tape whose child i is this node."""
    return [
        (parent, i)
        for parent in tape.nodes
        for i, child in enumerate(parent.children())
        if child == node.address
    ]


class Parents(Command):
    """parents [EXPR]: the nodes that were computed from a node, numbered for parent N.

Without EXPR: the node named last."""

    def run(self, text):
        node = node_named(text)
        describe = Describe()
        print(describe.line(node))
        found = parents_of(node, describe.tape)
        for n, (parent, i) in enumerate(found):
            print(f"  ({n}) {describe.line(parent)}; this is its child [{i}]")
        if not found:
            print("  nothing on the tape was computed from it")


class Parent(Command):
    """parent N: go to parent N (default 0) of the node named last, as numbered by parents."""

    def run(self, text):
        go_to([parent.address for parent, _ in parents_of(find(""), Tape())], text, "parent")


class TapeCommand(Command):
    """tape [N]: the last N nodes of the tape (default 8)."""

    name = "tape"

    def run(self, text):
        describe = Describe()
        nodes = describe.tape.nodes
        print(f"{len(nodes)} nodes")
        for node in nodes[max(0, len(nodes) - int(text or "8")) :]:
            print("  " + describe.line(node))
