"""What `step` does not enter: functions of libraries, and the project's own that only look something up. So begin
their names."""

STEPPED_PAST = ["std::", "__gnu_cxx::", "fmt::", "microgpt::Values::", "microgpt::Arena", "microgpt::Rewind"]
STEPPED_PAST += ["microgpt::Value::" + name for name in ("live", "data", "grad", "Value.microgpt::Node")]
