"""The program as gdb sees it. src/debug/lldb/program.py says the same for lldb; src/debug/commands needs no more."""
import gdb

Value = gdb.Value  # value["member"], pointer[i], int(value), dereference(), address
Error = gdb.error  # its text is shown to the learner, in one line
ALL_DIGITS = "print/r"  # shows a value without the texts of src/debug/commands/text.py


def evaluate(text):
    """The value of an expression in the selected frame."""
    return gdb.parse_and_eval(text)


def read(address, size):
    """The bytes at an address."""
    return bytes(gdb.selected_inferior().read_memory(address, size))


def variables():
    """(name, value) of every constructed variable that is visible in the selected frame or in one of its callers."""
    frame = gdb.selected_frame()
    while frame is not None:
        try:
            block = frame.block()
        except RuntimeError:  # a function without debug information
            block = None
        while block is not None and not block.is_static:
            for symbol in block:
                if symbol.is_argument or symbol.is_variable and symbol.line < frame.find_sal().line:
                    yield symbol.name, symbol.value(frame)
            block = block.superblock if block.function is None else None
        frame = frame.older()


def source_of(function):
    """The path of the source file of a function."""
    places = gdb.decode_line(function)[1]
    if not places or places[0].symtab is None:
        raise Error("there is no program, or it was built without debug information")
    return places[0].symtab.fullname()


def plain(value):
    """The value without a reference around it."""
    return value.referenced_value() if value.type.strip_typedefs().code == gdb.TYPE_CODE_REF else value


def scalars(value):
    """The numbers and pointers in a struct, bases first, in the order of declaration. The standard containers are read
    this way: a vector is [begin, end, capacity], a span [begin, size], a unique_ptr [pointer]."""
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return [value]
    members = [field for field in kind.fields() if hasattr(field, "bitpos")]  # without the static ones
    return [scalar for member in members for scalar in scalars(value[member])]


def string(value):
    """The text of a std::string, or of a std::u32string."""
    begin, length = scalars(value)[:2]
    return begin.string(length=int(length))


def display(content, title):
    """Shows an SVG in a window. gdb has none."""


def type_name(value):
    """The name of a value's type, or of what it refers to: 'microgpt::Value' for const Value &."""
    return _name(value.type)


def pointed_type_name(value):
    """The name of the type that a pointer points to, or '' for any other value."""
    kind = value.type.strip_typedefs()
    return _name(kind.target()) if kind.code == gdb.TYPE_CODE_PTR else ""


def _name(kind):
    kind = kind.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        kind = kind.target().strip_typedefs()
    return kind.unqualified().name or ""


def members(name):
    """The members of a struct in which each has 8 bytes, and their types for struct.unpack: {name: code}."""
    fields = gdb.lookup_type(name).fields()
    return {field.name: "d" if field.type.strip_typedefs().code == gdb.TYPE_CODE_FLT else "Q" for field in fields}
