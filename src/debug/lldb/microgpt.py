"""Shows the project's types in lldb in one line, as in gdb. The commands that walk the graph (graph, why, attention)
exist only in gdb. In lldb: command script import src/debug/lldb/microgpt.py"""
import lldb

SIGNS = {"add": "+", "mul": "*"}
MAX_ITEMS = 16
MAX_ROWS = 2
MAX_COLS = 4


def number(x):
    return f"{x:.4g}"


def listed(items, max_shown):
    """The first items with commas, and '...' if there are more."""
    return "[" + ", ".join(items[:max_shown]) + (", ..." if len(items) > max_shown else "") + "]"


def member(value, *path):
    for name in path:
        value = value.GetChildMemberWithName(name)
    return value


def integer(value, *path):
    return member(value, *path).GetValueAsUnsigned()


def double(value, *path):
    return member(value, *path).GetData().double[0]


def pointed_to(pointer, name):
    """What a pointer points to, as a value of the project's type of this name."""
    kind = pointer.GetTarget().FindFirstType("microgpt::" + name)
    return pointer.CreateValueFromAddress(name, pointer.GetValueAsUnsigned(), kind)


def node_text(node, kind):
    op = member(node, "op").GetValue().split("::")[-1]
    row = f", parameters={integer(node, 'n_row')}" if integer(node, "n_row") else ""
    return (
        f"{kind}(data={number(double(node, 'data'))}, grad={number(double(node, 'grad'))}, "
        f"op='{SIGNS.get(op, op)}', children={integer(node, 'n_child')}{row})"
    )


def parameter_text(parameter, kind):
    rows, cols = integer(parameter, "rows"), integer(parameter, "cols")
    read = min(rows, MAX_ROWS + 1)
    data = list(member(parameter, "data").GetPointeeData(0, read * cols).double)
    shown = [listed([number(x) for x in data[i * cols : (i + 1) * cols]], MAX_COLS) for i in range(read)]
    name = member(parameter, "name").GetSummary().strip('"')
    return f"{kind}({name}, shape=({rows}, {cols}), data={listed(shown, MAX_ROWS)})"


def values_text(values):
    begin, size = list(member(values, "item_").GetNonSyntheticValue())
    while size.GetNumChildren() > 0:  # its depth depends on the standard library
        size = size.GetChildAtIndex(0)
    n = size.GetValueAsUnsigned()
    addresses = [begin.GetPointeeData(i, 1).uint64[0] for i in range(min(n, MAX_ITEMS + 1))]
    kind = values.GetTarget().FindFirstType("microgpt::Node")
    nodes = [values.CreateValueFromAddress("node", address, kind) for address in addresses]
    return f"Values({n}) {listed([number(double(node, 'data')) for node in nodes], MAX_ITEMS)}"


def summary(text):
    """Wraps a function for lldb, for values that may not be constructed yet."""

    def summarize(value, _):
        try:
            return text(value)
        except (AttributeError, IndexError):
            return "(not made yet)"

    return summarize


node = summary(lambda value: node_text(value, "Node"))
value = summary(lambda value: node_text(pointed_to(member(value, "node"), "Node"), "Value"))
values = summary(values_text)
parameter = summary(lambda value: parameter_text(value, "Parameter"))
matrix = summary(lambda value: parameter_text(pointed_to(member(value, "parameter_"), "Parameter"), "Matrix"))


def __lldb_init_module(debugger, _):
    for name in ("Node", "Value", "Values", "Parameter", "Matrix"):
        debugger.HandleCommand(f"type summary add --python-function {__name__}.{name.lower()} microgpt::{name}")
