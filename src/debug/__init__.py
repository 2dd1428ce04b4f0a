"""Commands for gdb and lldb: src/debug/microgpt.py adds them. `program` is the debugged program, as either sees it."""
try:
    from . import in_gdb as program
except ImportError:
    from . import in_lldb as program
