"""The commands of microgpt.py, in gdb or in lldb: `program` is the program as the one or the other sees it."""
try:
    from . import in_gdb as program
except ImportError:
    from . import in_lldb as program
