"""Loads all of this into gdb: gdb -x src/debug/gdb/microgpt.py PROGRAM"""
import os
import sys

import gdb

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import attention
import gradient
import graph
import printers
import stops
from command import Command


class Microgpt(Command):
    """Commands to look at microgpt while it runs.

print EXPR            prints Value, Values, Node, Matrix, Parameter, Parameters and Tape in one line
stops                 the lines of the lesson where it is worth stopping; each has a name
stop NAME, stop all   from now on stop only there, or at all of them
graph [EXPR] [DEPTH]  what a node was computed from
node [EXPR]           go to a node; then child N, parents, parent N
why [EXPR]            why a gradient is what it is: what each parent added to it
attention H T         where head H looks from position T
tape [N]              the last N nodes of the tape

EXPR is an expression of the program, such as loss or x[3]; or #17, node number 17 on the tape; or an element of a
parameter matrix, such as wte[2][5]. `help why` explains `why`. print/r shows all digits. `step` enters functions of the
lesson and of src/, but not of the standard library."""

    def run(self, text):
        gdb.execute("help microgpt")


# What `step` does not enter: code outside the project, and the project's own functions that only look something up.
NOT_OURS = ["/usr" + "/*" * depth for depth in range(1, 12)]
NOT_OURS += [start + "/*" * depth for start in (".", "..") for depth in range(1, 6)]  # the C library's, if known
LOOKING_UP = ["std::", "__gnu_cxx::", "fmt::", "microgpt::ScopeCheck::", "microgpt::Values::", "microgpt::Arena<"]
LOOKING_UP += ["microgpt::Value::" + name for name in ("live", "data", "grad", "Value.microgpt::Node")]
LOOKING_UP += ["microgpt::Tape::" + name for name in ("scope", "is_open", "pointers", "numbers")]
LOOKING_UP += ["microgpt::trace_node"]


def step_past(files, functions):
    for pattern in files:
        gdb.execute(f"skip -gfi '{pattern}'", to_string=True)
    for start in functions:
        gdb.execute(f"skip -rfu '^{start}'", to_string=True)


for setting in ["print address off", "print pretty on", "print elements 32", "pagination off", "confirm off"]:
    gdb.execute("set " + setting)
step_past(NOT_OURS, LOOKING_UP)
printers.register()
gdb.events.stop.connect(stops.say_where)
for command in [
    Microgpt, attention.Attention, gradient.Why, graph.Child, graph.Graph, graph.NodeCommand, graph.Parent,
    graph.Parents, graph.TapeCommand, stops.StopCommand, stops.Stops,
]:
    command()
