"""A value of the program, with the interface of gdb.Value as far as src/debug/commands uses it."""
import lldb


def as_declared(value):
    """The same value. The result of an expression, whose type may lack members, gets the type of the program."""
    if value.GetValueType() == lldb.eValueTypeConstResult and value.GetLoadAddress() != lldb.LLDB_INVALID_ADDRESS:
        kind = value.GetTarget().FindFirstType(value.GetType().GetUnqualifiedType().GetName())
        return value.CreateValueFromAddress(value.GetName(), value.GetLoadAddress(), kind) if kind else value
    return value


_structs = (lldb.eTypeClassStruct, lldb.eTypeClassClass)


class Value:
    def __init__(self, value):
        self.value = as_declared(value).GetNonSyntheticValue()  # the members of a std::vector, not its items
        self.type = self.value.GetType().GetCanonicalType()

    def __getitem__(self, key):
        """The member of that name of a struct, or item number `key` behind a pointer."""
        if isinstance(key, str):
            return Value(self.value.GetChildMemberWithName(key))
        item = self.type.GetPointeeType()
        return Value(self.value.CreateValueFromAddress(f"[{key}]", int(self) + key * item.GetByteSize(), item))

    def __int__(self):
        is_signed = self.type.GetTypeFlags() & lldb.eTypeIsSigned
        return self.value.GetValueAsSigned() if is_signed else self.value.GetValueAsUnsigned()

    def __float__(self):
        return self.value.GetData().double[0]

    def __sub__(self, pointer):
        """The number of items between two pointers."""
        return (int(self) - int(pointer)) // self.type.GetPointeeType().GetByteSize()

    def dereference(self):
        return self[0]

    @property
    def address(self):
        """None if the value is not in memory."""
        address = self.value.GetLoadAddress()
        return None if address == lldb.LLDB_INVALID_ADDRESS else address

    def struct_members(self):
        """The members of a struct, bases first; None if this is no struct."""
        return [Value(member) for member in self.value] if self.type.GetTypeClass() in _structs else None
