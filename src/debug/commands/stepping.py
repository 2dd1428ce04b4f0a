"""What `step` does not enter: functions of libraries, and the project's own that only look something up."""

STEPPED_PAST = ["std::", "__gnu_cxx::", "fmt::", "microgpt::ScopeCheck::", "microgpt::Values::", "microgpt::Arena<"]
STEPPED_PAST += ["microgpt::Value::" + name for name in ("live", "data", "grad", "Value.microgpt::Node")]
STEPPED_PAST += ["microgpt::Tape::" + name for name in ("scope", "is_open", "pointers", "numbers")]
STEPPED_PAST += ["microgpt::trace_node"]  # so begin their names
