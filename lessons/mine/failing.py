"""For make gdb MINE=1: runs the tests until one fails or crashes, and stops at that check when they are run once more."""
import gdb

gdb.execute("skip -gfi *teach.h", to_string=True)
gdb.execute("tbreak teach::fail", to_string=True)
gdb.execute("run", to_string=True)
try:
    frame = gdb.newest_frame()
except gdb.error:  # no test fails
    frame = None
while frame and not (frame.name() or "").startswith("teach::stage_"):
    frame = frame.older()
if frame:
    place = frame.find_sal()
    gdb.execute(f"tbreak {place.symtab.filename}:{place.line}", to_string=True)
