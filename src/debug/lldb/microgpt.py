"""Loads the commands into lldb: src/debug/lldb/start.sh PROGRAM. In an lldb that runs already: command script import
src/debug/lldb/microgpt.py"""
import contextlib
import os
import sys
import types

import lldb

sys.dont_write_bytecode = True
_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [_here, os.path.join(os.path.dirname(_here), "commands")]

import breakpoints
import program
import text
from command import Command
from every import COMMANDS, STEPPED_PAST
from expression import evaluate
from value import Value


class Print(Command):
    """print EXPR: a value. The project's types are shown in plain words, numbers with four digits.

It takes the place of lldb's own print, whose compiler does not know every member of a class."""

    def run(self, typed):
        try:
            found = program.find(typed)
        except program.Error as error:  # such as k_h[2], if the program has no operator[] for it
            found = getattr(evaluate(typed), "value", None)
            if found is None:
                raise error
        value = Value(found)
        print(f"{typed} = {text.text_of(value)}" if text.function_for(value) else found)


functions = types.SimpleNamespace()  # lldb finds the commands here by their names


def function(command):
    """The function that lldb calls for a command of src/debug/commands."""

    def run(debugger, argument, context, result, _):
        program.look_at(context.GetTarget(), context.GetFrame())
        try:
            with contextlib.redirect_stdout(result):
                command.run(argument.strip())
        except program.Error as error:
            result.SetError(str(error))

    run.__doc__ = command.__doc__
    return run


def summary(value, _):
    """How lldb shows a value of one of the project's types."""
    program.look_at(value.GetTarget(), value.GetFrame())
    return text.text_of(Value(value)).splitlines()[0]


def __lldb_init_module(debugger, _):
    """Called by lldb when it has loaded this file."""

    def execute(command):
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, result)
        if not result.Succeeded():
            print(result.GetError())

    for setting in [
        "auto-confirm true",
        "target.disable-aslr false",  # some containers do not allow disabling it
        "target.process.thread.step-avoid-regexp ^(" + "|".join(STEPPED_PAST) + ")",
    ]:
        execute("settings set " + setting)
    names = "|".join(text.by_type)
    for pattern in [f"^({names})$", r"^microgpt::[^*]* \*$", r"^lesson[0-9]+::Node \*$"]:
        execute(f"type summary add -F microgpt.summary --no-value --skip-pointers --regex '{pattern}'")
    breakpoints.register(execute)
    execute("command unalias print")
    for command in [*COMMANDS, Print]:
        name = command.called()
        setattr(functions, name, function(command()))
        title = command.__doc__.splitlines()[0]
        execute(f'command script add -o -f microgpt.functions.{name} -h "{title}" {name}')
