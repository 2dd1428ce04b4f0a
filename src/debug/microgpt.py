"""Adds the commands of README.md to gdb or lldb. start.sh loads this file; in a debugger that runs already:

(gdb) source src/debug/microgpt.py
(lldb) command script import src/debug/microgpt.py"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from debug import program
from debug.attention import attention
from debug.graph import graph, node, tape, why
from debug.in_words import KINDS, in_words
from debug.stops import stops

COMMANDS = [attention, graph, node, stops, tape, why]

# Functions that `step` does not enter: of libraries, and the project's own that only look something up.
STEPPED_PAST = "^(std::|__gnu_cxx::|fmt::|microgpt::(Arena|Values::|Value::(Value|data|grad)))"


def __lldb_init_module(debugger, names):
    """Called by lldb when it has loaded this file."""
    program.load(COMMANDS, in_words, STEPPED_PAST, KINDS, debugger)


if program.__name__ == "debug.in_gdb":
    program.load(COMMANDS, in_words, STEPPED_PAST)
