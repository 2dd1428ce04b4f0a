"""The program as lldb sees it. src/debug/gdb/program.py does the same for gdb, and says what functions without a comment
here do; src/debug/commands needs no more."""
import re

import lldb

from value import Value, as_declared

ALL_DIGITS = "v -R EXPR"  # shows a value without the texts of src/debug/commands/text.py

_target = _frame = None  # those that a command or a text is about


class Error(Exception):
    """Its text is shown to the learner, in one line."""


def target():
    """lldb's object for the program."""
    return _target


def look_at(target, frame):
    """From now on, the functions below are about this program, in this frame."""
    global _target, _frame
    _target, _frame = target, frame


def find(text):
    """lldb's value of an expression in the frame. A path such as x.node->child[0], and a global variable, are read
    without lldb's compiler, which does not know every member and may run functions of the program."""
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
    return as_declared(found)


def evaluate(text):
    """The value of an expression in the frame."""
    return Value(find(text))


def read(address, size):
    error = lldb.SBError()
    content = _target.GetProcess().ReadMemory(address, size, error)
    if error.Fail() or len(content) != size:
        raise Error(f"cannot read memory at address {address:#x}")
    return content


def variables():
    """(name, value) of every constructed variable that is visible in the frame or in one of its callers."""
    if not _frame:
        raise Error("the program is not running")
    thread = _frame.GetThread()
    for i in range(_frame.GetFrameID(), thread.GetNumFrames()):
        frame = thread.GetFrameAtIndex(i)
        for found in frame.GetVariables(True, True, False, True):  # arguments, locals, no statics, those in scope
            is_argument = found.GetValueType() == lldb.eValueTypeVariableArgument
            if is_argument or found.GetDeclaration().GetLine() < frame.GetLineEntry().GetLine():
                yield found.GetName(), Value(found)


def source_of(function):
    for found in _target.FindFunctions(function):
        if found.GetCompileUnit():
            return found.GetFunction().GetStartAddress().GetLineEntry().GetFileSpec().fullpath
    raise Error("there is no program, or it was built without debug information")


def plain(value):
    return Value(value.value.Dereference()) if value.type.IsReferenceType() else value


def scalars(value):
    members = value.struct_members()
    return [value] if members is None else [scalar for member in members for scalar in scalars(member)]


def string(value):
    """The text of a std::string, which each standard library stores in its own way, or of a std::u32string."""
    summary = value.value.GetSummary()
    if summary:
        return summary.removeprefix("U").strip('"')
    begin, length = (int(member) for member in scalars(value)[:2])  # lldb has no words for that of libstdc++
    if not 0 <= length <= 10_000:
        raise Error("this text cannot be read")
    return read(begin, 4 * length).decode("utf-32")


def display(content, title):
    """Shows an SVG in a window, which VS Code's CodeLLDB has."""
    try:
        import debugger
    except ImportError:
        return
    if hasattr(debugger, "display_html"):
        debugger.display_html(content, title=title)


def type_name(value):
    return _name(value.type)


def pointed_type_name(value):
    return _name(value.type.GetPointeeType()) if value.type.IsPointerType() else ""


def _name(kind):
    kind = (kind.GetDereferencedType() if kind.IsReferenceType() else kind).GetCanonicalType()
    name = "" if kind.IsPointerType() else kind.GetUnqualifiedType().GetName() or ""
    return re.sub(r"\bstd::__\w+::", "std::", name)  # without the inline namespace of a standard library


def members(name):
    fields = [(field.GetName(), field.GetType().GetCanonicalType()) for field in _target.FindFirstType(name).fields]
    return {name: "d" if kind.GetTypeFlags() & lldb.eTypeIsFloat else "Q" for name, kind in fields}
