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
    """Looking at microgpt while it runs.

print EXPR            Value, Values, Node, Matrix, Parameter, Parameters and Tape are printed in one line
stops                 the lines of the lesson where stopping pays; each has a name
stop NAME, stop all   stop there from here on, or at each of them
graph [EXPR] [DEPTH]  what a node was computed from
node [EXPR]           go to a node; then child N, parents, parent N
why [EXPR]            why a gradient is what it is: what each parent added to it
attention H T         where head H looks from position T
tape [N]              the last N nodes of the tape

EXPR is an expression of the program, as loss or x[3]; or #17, the node of that number on the tape; or an element of a
parameter matrix, as wte[2][5]. `help why` says more about why. print/r shows all digits. `step` goes through the lesson
and src/, and past the standard library."""

    def run(self, text):
        gdb.execute("help microgpt")


# Where `step` does not go: code that is not the project's, and the project's own that only looks something up.
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
