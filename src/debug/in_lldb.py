"""The program as lldb sees it. The functions are those of in_gdb.py, where comments say what they do."""
import contextlib
import inspect
import os
import re
import sys

import lldb

_target = _frame = None  # those that a command or a text is about
_stops = {}  # {number of a breakpoint: name}


class Error(Exception):
    pass


def look_at(target, frame):
    """From now on, the functions below are about this program, in this frame."""
    global _target, _frame
    _target, _frame = target, frame


def evaluate(text):
    """A path such as x.node->edges[0], and a global variable, are read without lldb's compiler, which does not know
    every member. An index such as li becomes a number first."""
    named = r"(?<=\[)[^][]*[^][0-9][^][]*(?=\])"
    text = re.sub(named, lambda index: str(evaluate(index[0]).GetValueAsUnsigned()), text)
    found = _frame.GetValueForVariablePath(text) if _frame else None
    if not found or found.GetError().Fail():
        found = _target.FindFirstGlobalVariable(text)
    if not found or found.GetError().Fail():
        options = lldb.SBExpressionOptions()
        options.SetSuppressPersistentResult(True)
        found = (_frame or _target).EvaluateExpression(text, options)
    if found.GetError().Fail():
        message = str(found.GetError().GetCString())
        raise Error(re.sub(r".*error: (<[^>]*>:\d+:\d+: )?", "", message, count=1, flags=re.S).splitlines()[0])
    return found


def plain(value):
    """The value behind a reference, as its members, not as its items."""
    return (value.Dereference() if value.GetType().IsReferenceType() else value).GetNonSyntheticValue()


def kind(value):
    found = plain(value).GetType().GetCanonicalType()
    if found.IsPointerType():
        return f"{found.GetPointeeType().GetUnqualifiedType().GetName()} *"
    return found.GetUnqualifiedType().GetName() or ""


def words(value):
    return list(plain(value).GetData().uint64s)


def double(value):
    return plain(value).GetData().double[0]


def address(value):
    found = plain(value).GetLoadAddress()
    return None if found == lldb.LLDB_INVALID_ADDRESS else found


def read(address, size):
    error = lldb.SBError()
    content = _target.GetProcess().ReadMemory(address, size, error)
    if error.Fail() or len(content) != size:
        raise Error(f"cannot read memory at address {address:#x}")
    return content


def layout(kind):
    found = _target.FindFirstType(kind)
    return found.GetByteSize(), {field.GetName(): field.GetOffsetInBytes() for field in found.fields}


def source_of(function):
    for found in _target.FindFunctions(function):
        if found.GetCompileUnit():
            return found.GetFunction().GetStartAddress().GetLineEntry().GetFileSpec().fullpath
    raise Error("there is no program, or it was built without debug information")


def make_stop(name, file, line):
    """Says where it is, as gdb does."""
    made = _target.BreakpointCreateByLocation(file, line)
    _stops[made.GetID()] = name
    print(f"Breakpoint {made.GetID()}: file {os.path.relpath(file)}, line {line}.")


def stops_made():
    return {_stops[found.GetID()]: found for found in _target.breakpoint_iter() if found.GetID() in _stops}


class SayWhere:
    """Called by lldb when the program stops."""

    def __init__(self, target, extra, names):
        pass

    def handle_stop(self, context, stream):
        thread = context.GetThread()
        if thread.GetStopReason() == lldb.eStopReasonBreakpoint:
            for i in range(0, thread.GetStopReasonDataCount(), 2):  # the numbers of a breakpoint and its location
                name = _stops.get(thread.GetStopReasonDataAtIndex(i))
                if name:
                    stream.Print(f"stop: {name}\n")
        return True


def called(function):
    """What lldb calls for a command."""

    def run(debugger, argument, context, result, names):
        look_at(context.GetTarget(), context.GetFrame())
        try:
            with contextlib.redirect_stdout(result):
                function(argument.strip())
        except Error as error:
            result.SetError(str(error))

    run.__doc__ = inspect.getdoc(function)
    return run


def load(commands, in_words, stepped_past, kinds, debugger):
    """Adds the commands to lldb, and prints values in words. lldb finds functions by their names in microgpt.py."""
    found_here = sys.modules["microgpt"]

    def execute(command):
        result = lldb.SBCommandReturnObject()
        debugger.GetCommandInterpreter().HandleCommand(command, result)
        if not result.Succeeded():
            print(result.GetError())

    def summary(value, names):
        look_at(value.GetTarget(), value.GetFrame())
        return in_words(value)

    def print_value(text):
        """print EXPR: a value. It takes the place of lldb's own print, whose compiler does not know every member."""
        value = evaluate(text)
        words = in_words(value)
        print(f"{text} = {words}" if words else value)

    found_here.summary = summary
    found_here.SayWhere = SayWhere
    execute("settings set auto-confirm true")
    execute("settings set target.disable-aslr false")  # some containers do not allow disabling it
    execute(f"settings set target.process.thread.step-avoid-regexp {stepped_past}")
    execute(f"type summary add -F microgpt.summary --no-value --skip-pointers --regex '^({kinds})$'")
    execute("target stop-hook add -P microgpt.SayWhere")
    execute("command unalias print")
    for name, function in [("print", print_value), *((command.__name__, command) for command in commands)]:
        setattr(found_here, name, called(function))
        title = inspect.getdoc(function).split("\n")[0]
        execute(f'command script add -o -f microgpt.{name} -h "{title}" {name}')
