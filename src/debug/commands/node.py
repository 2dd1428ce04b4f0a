"""A node of the graph: src/scalar/value.h."""
import functools
import struct

import memory
import program

_signs = {"add": "+", "mul": "*"}  # as op_name() in the program has them


def number(x):
    """A number as all commands show it: four digits, and no -0."""
    return f"{x + 0.0:.4g}"


@functools.cache
def layout():
    """Of the program's Node: its size, its members as program.members has them, and the names of its operations."""
    names = [name.split("::")[-1] for name in program.enumerators("microgpt::Op")]
    return program.size_of("microgpt::Node"), program.members("microgpt::Node"), names


class Node:
    """A copy of a node, with its address."""

    def __init__(self, address, chunk=None, offset=0):
        self.address = int(address)
        size, members, self._op_names = layout()
        if chunk is None:
            chunk = program.read(self.address, size)
        for name, (member, code) in members.items():
            setattr(self, name, struct.unpack_from(code, chunk, offset + member)[0])

    @property
    def op_name(self):
        name = self._op_names[self.op]
        return _signs.get(name, name)

    def children(self):
        """The addresses of the children."""
        return memory.read(self.child, self.n_child, "Q")

    def local_grads(self):
        return memory.read(self.local_grad, self.n_child, "d")

    def row_locals(self):
        return memory.read(self.row_local, self.n_row, "d")

    def summary(self, kind="Node"):
        parameters = f", parameters={self.n_row}" if self.n_row else ""
        numbers = f"data={number(self.data)}, grad={number(self.grad)}"
        return f"{kind}({numbers}, op='{self.op_name}', children={self.n_child}{parameters})"
