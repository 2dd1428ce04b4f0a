"""What all commands have in common."""


class Command:
    """A command of the debugger. Its name is `name`, or else the class's name; its docstring is its help text."""

    name = None

    @classmethod
    def called(cls):
        return cls.name or cls.__name__.lower()

    def run(self, text):
        """Does what the command says. `text` is what was typed after its name."""
        raise NotImplementedError
