"""What all commands have in common."""
import gdb


class Command(gdb.Command):
    """A gdb command. Its name is `name`, or else the class's name; its docstring is its help text."""

    name = None

    def __init__(self):
        super().__init__(self.name or type(self).__name__.lower(), gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        self.dont_repeat()
        try:
            self.run(argument.strip())
        except gdb.error as error:  # gdb's message without a Python traceback
            raise gdb.GdbError(str(error)) from None
