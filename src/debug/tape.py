"""The nodes on the tape: src/microgpt.cpp and src/base/arena.h. A node is called by its number on the tape, from #0:
addresses differ between runs, numbers do not."""
import functools
import re
import struct

from . import program


def number(x):
    """A number as all commands show it: four digits, and no -0."""
    return f"{x + 0.0:.4g}"


@functools.cache
def text_at(address):
    """The text that a const char* points to."""
    found = b""
    while not found.endswith(b"\0"):
        found += program.read(address + len(found), 1)
    return found[:-1].decode()


class Node:
    """A copy of a node, with its address."""

    def __init__(self, address):
        size, at = program.layout("microgpt::Node")
        content = program.read(address, size)
        self.address = address
        self.data, self.grad = (struct.unpack_from("=d", content, at[member])[0] for member in ("data", "grad"))
        self.op, self.visit = (struct.unpack_from("=Q", content, at[member])[0] for member in ("op", "visit"))
        self.first_edge, self.n_edge = struct.unpack_from("=QQ", content, at["edges"])

    @functools.cached_property
    def edges(self):
        """[(the child's address, local_grad)]"""
        return list(struct.iter_unpack("=Qd", program.read(self.first_edge, 16 * self.n_edge))) if self.n_edge else []

    def edges_to(self, node):
        return [i for i, (child, _) in enumerate(self.edges) if child == node.address]

    @property
    def name(self):
        return f"#{Tape().number(self.address)} {text_at(self.op)}"

    def __str__(self):
        return f"{self.name}: data {number(self.data)}, grad {number(self.grad)}"


class Tape:
    def __init__(self):
        begin, end = program.words(program.evaluate("microgpt::tape"))[:2]  # of its chunks
        self.chunks = list(struct.iter_unpack("=QQQ", program.read(begin, end - begin)))  # (memory, size, used)
        self.node_size = program.layout("microgpt::Node")[0]

    def number(self, address):
        """The number of the node at an address, or None if there is none in use."""
        before = 0
        for memory, _, used in self.chunks:
            i, rest = divmod(address - memory, self.node_size)
            if 0 <= i < used and rest == 0:
                return before + i
            before += used
        return None

    def addresses(self):
        return [memory + i * self.node_size for memory, _, used in self.chunks for i in range(used)]

    def visited(self):
        """The nodes that the last backward() visited, in the order in which it passed gradients on: the loss first."""
        nodes = [Node(address) for address in self.addresses()]
        last = max((node.visit for node in nodes), default=0)
        visited = {node.address: node for node in nodes if last and node.visit == last}
        loss = set(visited).difference(child for node in visited.values() for child, _ in node.edges)
        order, seen, path = [], set(), [(visited[address], iter(visited[address].edges)) for address in loss]
        while path:
            node, edges = path[-1]
            child = next((child for child, _ in edges if child in visited and child not in seen), None)
            if child is None:
                order.append(node)
                path.pop()
            else:
                seen.add(child)
                path.append((visited[child], iter(visited[child].edges)))
        return order[::-1]


def find(text):
    """The node that a text names: an expression that is a Value or a Node, such as loss or x[3], or #17."""
    if not text:
        raise program.Error("name a node: a Value, a Node, or #17")
    tape = Tape()
    if re.fullmatch(r"#\d+", text):
        addresses = tape.addresses()
        if int(text[1:]) >= len(addresses):
            raise program.Error(f"there is no node {text}; the tape holds {len(addresses)}")
        return Node(addresses[int(text[1:])])
    value = program.evaluate(text)
    kind = program.kind(value)
    if kind in ("microgpt::Value", "microgpt::Node *"):
        address = program.words(value)[0]
    else:
        address = program.address(value) if kind == "microgpt::Node" else None
    if address is None or tape.number(address) is None:
        raise program.Error(f"{text} is neither a Value nor a Node on the tape")
    return Node(address)
