"""The program as gdb sees it. in_lldb.py does the same for lldb; the commands need no more."""
import fnmatch
import inspect
import os

import gdb

Error = gdb.error  # its text is shown to the learner, in one line
double = float


def evaluate(text):
    """The value of an expression in the selected frame."""
    return gdb.parse_and_eval(text)


def kind(value):
    """The name of a value's type, or of what it refers to: 'microgpt::Value' for const Value &."""
    found = value.type.strip_typedefs()
    if found.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        found = found.target().strip_typedefs()
    if found.code == gdb.TYPE_CODE_PTR:
        return f"{found.target().strip_typedefs().unqualified().name} *"
    return found.unqualified().name or ""


def words(value):
    """The numbers of 8 bytes that a value consists of, such as the pointers in a std::vector: bases first, then members
    in the order of their declaration."""
    found = value.type.strip_typedefs()
    if found.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return words(value.referenced_value())
    if found.code != gdb.TYPE_CODE_STRUCT:
        return [int(value)]
    return [word for field in found.fields() if hasattr(field, "bitpos") for word in words(value[field])]


def address(value):
    """None if the value is not in memory."""
    return value.address and int(value.address)


def read(address, size):
    """The bytes at an address."""
    return bytes(gdb.selected_inferior().read_memory(address, size))


def layout(kind):
    """The size of a struct, and where each of its members begins: {name: offset}."""
    found = gdb.lookup_type(kind)
    return found.sizeof, {field.name: field.bitpos // 8 for field in found.fields()}


def source_of(function):
    """The path of the source file of a function."""
    places = gdb.decode_line(function)[1]
    if not places or places[0].symtab is None:
        raise Error("there is no program, or it was built without debug information")
    return places[0].symtab.fullname()


class Stop(gdb.Breakpoint):
    def __init__(self, name, file, line):
        super().__init__(source=file, line=line)
        self.name = name


make_stop = Stop  # gdb says where it is


def stops_made():
    """{name: breakpoint}"""
    return {found.name: found for found in gdb.breakpoints() if isinstance(found, Stop)}


def say_where(event):
    """Called by gdb when the program stops."""
    for found in getattr(event, "breakpoints", []):
        if isinstance(found, Stop):
            print(f"stop: {found.name}")


class Command(gdb.Command):
    def __init__(self, function):
        self.__doc__ = inspect.getdoc(function)
        self.function = function
        super().__init__(function.__name__.replace("_", "-"), gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        try:
            self.function(argument.strip())
        except gdb.error as error:  # gdb's message without a Python traceback
            raise gdb.GdbError(str(error)) from None


class Printer:
    """Shows a value in words."""

    def __init__(self, words):
        self.words = words

    def to_string(self):
        is_short = gdb.print_options()["summary"] if hasattr(gdb, "print_options") else False  # in a backtrace
        return self.words.split("\n")[0] if is_short else self.words


# Folders whose files `step` does not enter: those of the compiler and of libraries, and the C library's, if known. The
# project itself may be anywhere.
NOT_OURS = ["/usr/include", "/usr/lib*", "/usr/local/include", "/usr/local/lib*", ".", ".."]
NOT_OURS = [folder for folder in NOT_OURS if not fnmatch.fnmatch(os.path.dirname(__file__), folder + "/*")]


def load(commands, in_words, stepped_past):
    """Adds the commands, and prints values in words. `step` passes the functions that match stepped_past."""
    from .who_wrote import who_wrote

    for setting in ["print address off", "print pretty on", "print elements 32", "pagination off", "confirm off"]:
        gdb.execute("set " + setting)
    for folder in NOT_OURS:
        for depth in range(1, 12):
            gdb.execute(f"skip -gfi {folder}{'/*' * depth}", to_string=True)
    gdb.execute(f"skip -rfu {stepped_past}", to_string=True)

    def printer(value):
        words = in_words(value)
        return words and Printer(words)

    def add_printer(objfile):
        objfile.pretty_printers.insert(0, printer)  # before those of the standard library

    for objfile in gdb.objfiles():
        add_printer(objfile)
    gdb.events.new_objfile.connect(lambda event: add_printer(event.new_objfile))
    gdb.events.stop.connect(say_where)
    for command in [*commands, who_wrote]:
        Command(command)
