"""The tape and its nodes: src/microgpt.cpp, src/base/arena.h. A node is identified by its number on the tape, from #0:
addresses differ between runs, numbers do not."""
import functools

import program
from node import Node, layout, op_name


class Tape:
    def __init__(self, value=None):
        if value is None:
            try:
                value = program.evaluate("microgpt::tape")
            except program.Error:
                raise program.Error("this program has no tape: none of its numbers is a Value") from None
        op_name.cache_clear()
        begin, end, _, current, room = program.scalars(value)[:5]  # of ArenaOf<Node>: chunks_, current_, room_
        self.chunks = []  # (address, number of nodes in use)
        for i in range(min(int(end - begin), int(current) + 1)):
            size, left = int(begin[i]["size"]), int(room) if i == int(current) else 0
            self.chunks.append((int(begin[i]["end"]) - size * layout()[1].size, size - left))

    def has(self, address):
        """Whether a node in use is at this address. In a checked build, one that was taken back has no operation."""
        for start, used in self.chunks:
            index, rest = divmod(int(address) - start, layout()[1].size)
            if 0 <= index < used and rest == 0:
                return Node(address).op != 0
        return False

    @functools.cached_property
    def nodes(self):
        """Every node in use, in the order the forward made them."""
        node = layout()[1]
        found = []
        for start, used in self.chunks:
            content = program.read(start, used * node.size) if used else b""
            found += [Node(start + i * node.size, fields) for i, fields in enumerate(node.iter_unpack(content))]
        return [node for node in found if node.op != 0]

    @functools.cached_property
    def numbers(self):
        """{address: number}"""
        return {node.address: i for i, node in enumerate(self.nodes)}

    def node(self, number):
        if not 0 <= number < len(self.nodes):
            raise program.Error(f"there is no node #{number}; the tape holds {len(self.nodes)}")
        return self.nodes[number]

    def backward_order(self):
        """The nodes that the last backward() visited, in the order in which it passed gradients on: the loss first."""
        last = max((node.visit for node in self.nodes), default=0)
        visited = {node.address: node.children() for node in self.nodes if last and node.visit == last}
        loss = set(visited).difference(*visited.values())
        order, path, seen = [], [(address, iter(visited[address])) for address in loss], set()
        while path:
            address, children = path[-1]
            child = next((child for child in children if child in visited and child not in seen), None)
            if child is None:
                order.append(self.nodes[self.numbers[address]])
                path.pop()
            else:
                seen.add(child)
                path.append((child, iter(visited[child])))
        return order[::-1]
