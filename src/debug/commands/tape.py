"""The tape and its nodes: src/scalar/value.h, src/scalar/arena.h. A node is identified by its number on the tape, from
#0: addresses differ between runs, numbers do not."""
import bisect

import memory
import program
from node import Node


class Arena:
    """The part of an Arena<T> that is in use: (first number, address, number of items) for each chunk."""

    def __init__(self, arena):
        next_ = arena["next_"]
        self.item_size = program.item_size(next_)
        self.chunks = []
        self.size = 0
        for i, chunk in enumerate(memory.vector(arena["chunks_"])[: int(arena["current_"]) + 1]):
            start = program.scalars(chunk["memory"])[0]
            used = int(next_ - start) if i == int(arena["current_"]) else int(chunk["used"])
            self.chunks.append((self.size, int(start), used))
            self.size += used

    def address(self, number):
        """The address of an item."""
        if not 0 <= number < self.size:
            raise program.Error(f"there is no node #{number}; the tape holds {self.size}")
        first, start, _ = self.chunks[bisect.bisect(self.chunks, (number + 1,)) - 1]
        return start + (number - first) * self.item_size

    def number(self, address):
        """The number of the item at this address, or None if no item in use is there."""
        for first, start, used in self.chunks:
            index, rest = divmod(int(address) - start, self.item_size)
            if 0 <= index < used and rest == 0:
                return first + index
        return None


class Tape:
    def __init__(self, value=None):
        if value is None:
            try:
                value = program.evaluate("microgpt::tape")
            except program.Error:
                raise program.Error("this program has no tape: none of its numbers is a Value") from None
        self.value = value
        self.nodes = Arena(value["nodes_"])
        self.pointers = Arena(value["pointers_"])
        self.size = self.nodes.size

    def node(self, number):
        return Node(self.nodes.address(number))

    def number(self, node):
        """The node's number, or None if it is not on the tape."""
        return self.nodes.number(node.address)

    def all_nodes(self):
        """Every node in use, in the order the forward made them."""
        for _, start, used in self.nodes.chunks:
            size = self.nodes.item_size
            chunk = program.read(start, used * size) if used else b""
            for i in range(used):
                yield Node(start + i * size, chunk, i * size)

    def last_visit(self):
        """The value of Node::visit in the nodes that the last backward() visited."""
        return int(self.value["visit_"])

    def backward_order(self):
        """The addresses of the nodes in the order of the last backward(): the loss first."""
        begin, end = program.scalars(self.value["order_"])[:2]
        return memory.read(begin, int(end - begin), "Q")[::-1]

    def is_open(self, scope):
        """Whether a scope is open, so that the nodes made in it still exist."""
        return scope == 0 or scope in [int(number) for number in memory.vector(self.value["open_"])]
