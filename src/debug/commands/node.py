"""A node of the graph: src/microgpt.cpp."""
import functools
import struct

import memory
import program

op_name = functools.cache(memory.text)  # a Tape forgets what it knows of an earlier run


def number(x):
    """A number as all commands show it: four digits, and no -0."""
    return f"{x + 0.0:.4g}"


@functools.cache
def layout():
    """The names of the members of the program's Node, and how to read them."""
    members = program.members("microgpt::Node")
    return list(members), struct.Struct("=" + "".join(members.values()))


class Node:
    """A copy of a node, with its address."""

    def __init__(self, address, fields=None):
        self.address = int(address)
        names, node = layout()
        self.__dict__.update(zip(names, fields or node.unpack(program.read(self.address, node.size))))

    @property
    def op_name(self):
        return op_name(self.op)

    def children(self):
        """The addresses of the children."""
        return memory.read(self.child, self.n_child, "Q")

    def local_grads(self):
        return memory.read(self.local_grad, self.n_child, "d")

    def row_locals(self):
        return memory.read(self.row_local, self.n_row, "d")

    def summary(self, kind):
        parameters = f", parameters={self.n_row}" if self.n_row else ""
        numbers = f"data={number(self.data)}, grad={number(self.grad)}"
        return f"{kind}({numbers}, op='{self.op_name}', children={self.n_child}{parameters})"
