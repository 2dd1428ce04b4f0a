"""who-wrote: back in time, to the line that gave a number its value. For gdb: lldb does not go back."""
import gdb

# gdb cannot record wide vectors, which the C library uses where it may, nor functions looked up when they are first
# called. Nor does it record a program while libthread_db looks at it.
_NOT_USED = "AVX512F AVX512VL AVX2 AVX AVX_Fast_Unaligned_Load ERMS XSAVEC XSAVE".split()
_BEFORE_IT_RUNS = [
    "set environment GLIBC_TUNABLES glibc.cpu.hwcaps=" + ",".join("-" + name for name in _NOT_USED),
    "set environment LD_BIND_NOW 1",
    "set libthread-db-search-path /nonexistent",
]
_watch = None  # from the last time


def who_wrote(text):
    """who-wrote EXPR: go back in time to the line that wrote a number.

    For example `stops backward`, then `who-wrote e.a.node->grad`. The program begins again, up to its first stop. gdb
    records what the line there does, or in backward() the rest of that function, and goes back through it to where the
    number was written last. Time runs backwards, so the "new" value is the earlier one. In this past, print what you
    like; `reverse-continue` goes to who wrote before, `reverse-step` goes line by line, `record stop` ends it."""
    global _watch
    if not text:
        raise gdb.error("who-wrote WHAT? For example: who-wrote e.a.node->grad")
    if _watch and _watch.is_valid():
        _watch.delete()
    for command in _BEFORE_IT_RUNS + ["run"]:
        gdb.execute(command)
    frame = gdb.selected_frame()
    place = frame.find_sal()
    move, end = ("finish", frame.older()) if frame.name().endswith("::backward") else ("next", frame)
    gdb.set_convenience_variable("written", gdb.parse_and_eval(text).address)
    for command in ["record full", "set record full insn-number-max unlimited", move]:
        gdb.execute(command)
    if gdb.selected_frame() != end:
        raise gdb.error("gdb cannot record here: see the lines above")
    gdb.execute("set can-use-hw-watchpoints 0")  # the processor's do not go backwards
    gdb.execute("watch *$written")
    _watch = gdb.breakpoints()[-1]
    gdb.execute("set can-use-hw-watchpoints 1")
    gdb.execute("reverse-continue")
    if _watch.hit_count == 0:
        file = place.symtab.filename if place.symtab else "?"
        raise gdb.error(f"{file}:{place.line} does not write {text}; set another stop: stops NAME")
