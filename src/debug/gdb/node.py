"""A node of the graph: src/scalar/value.h."""
import functools
import struct

import gdb

import memory

_signs = {"add": "+", "mul": "*"}  # as op_name() in the program has them


def number(x):
    """A number as all commands show it: four digits, and no -0."""
    return f"{x + 0.0:.4g}"


@functools.cache
def op_names():
    return [field.name.split("::")[-1] for field in gdb.lookup_type("microgpt::Op").fields()]


@functools.cache
def node_size():
    return gdb.lookup_type("microgpt::Node").sizeof


@functools.cache
def layout():
    """The offset of each member of Node and its type for struct.unpack: {name: (offset, code)}."""
    members = {}
    for field in gdb.lookup_type("microgpt::Node").fields():
        kind = field.type.strip_typedefs()
        code = "d" if kind.code == gdb.TYPE_CODE_FLT else {8: "Q", 4: "I", 1: "B"}[kind.sizeof]
        members[field.name] = (field.bitpos // 8, "=" + code)
    return members


class Node:
    """A copy of a node, with its address."""

    def __init__(self, address, chunk=None, offset=0):
        self.address = int(address)
        if chunk is None:
            chunk = gdb.selected_inferior().read_memory(self.address, node_size())
        for name, (member, code) in layout().items():
            setattr(self, name, struct.unpack_from(code, chunk, offset + member)[0])

    @property
    def op_name(self):
        name = op_names()[self.op]
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
