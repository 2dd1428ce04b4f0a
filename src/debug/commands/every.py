"""Every command, and what `step` passes over."""
from attention import Attention
from gradient import Why
from graph import Child, Graph, NodeCommand, Parent, Parents, TapeCommand
from help import Microgpt
from stops import Stops

COMMANDS = [Microgpt, Attention, Why, Child, Graph, NodeCommand, Parent, Parents, TapeCommand, Stops]

# Functions that `step` does not enter: of libraries, and the project's own that only look something up. So begin their
# names.
STEPPED_PAST = ["std::", "__gnu_cxx::", "fmt::", "microgpt::Values::", "microgpt::Arena", "microgpt::Rewind"]
STEPPED_PAST += ["microgpt::Value::" + name for name in ("live", "data", "grad", "Value.microgpt::Node")]
