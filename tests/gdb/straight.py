"""A lesson is read straight down: `next` goes from main()'s first line to its end in main.cpp, and nobody else calls what
stands there: gdb -nx -batch -x tests/gdb/straight.py build/release/lessons/NN_name/straight"""
import gdb

wrong = []


class FirstCall(gdb.Breakpoint):
    """Sees who first calls a function of main.cpp."""

    def stop(self):
        self.enabled = False
        caller = gdb.newest_frame().older()
        while "/usr/" in caller.find_sal().symtab.fullname():  # an algorithm of the standard library
            caller = caller.older()
        if caller.find_sal().symtab.fullname() != file.fullname():
            wrong.append(f"{self.function} is called in {caller.find_sal().symtab.filename}, by {caller.name()}")
        return False


for setting in ["pagination off", "args data/names.txt >/dev/null 2>&1"]:
    gdb.execute(f"set {setting}")
gdb.execute("break main")
gdb.execute("run", to_string=True)
frame = gdb.newest_frame()
file = frame.find_sal().symtab
body = frame.block()
while body.function is None:
    body = body.superblock
for symbol in [*file.global_block(), *file.static_block()]:
    if symbol.is_function and "lambda" not in symbol.name:
        entry = int(symbol.value().address)
        if gdb.find_pc_line(entry).symtab.fullname() == file.fullname():
            FirstCall(f"*{entry}", internal=True).function = symbol.name
lines = {}
for entry in file.linetable():
    if body.start <= entry.pc < body.end:
        lines.setdefault(entry.line, entry.pc)
for pc in lines.values():
    gdb.Breakpoint(f"*{pc}", internal=True, temporary=True)
seen = set()
while gdb.selected_inferior().pid and gdb.newest_frame().name() == "main":
    place = gdb.newest_frame().find_sal()
    if place.symtab.fullname() != file.fullname():
        wrong.append(f"`next` led to {place.symtab.filename}:{place.line}")
        break
    new = place.line not in seen
    seen.add(place.line)
    gdb.execute("next" if new else "continue", to_string=True)  # in a loop, on to the next line that was not seen
print(f"straight {file.filename}: {len(seen)} of main()'s {len(lines)} lines, {len(wrong)} wrong", *wrong, sep="\n  ")
gdb.execute("set confirm off")
gdb.execute(f"quit {1 if wrong else 0}")
