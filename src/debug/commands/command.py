"""What all commands have in common."""


class Command:
    """A command of the debugger. Its name is `name`, or else the class's name; its docstring is its help text. run(text)
    does what it says; `text` is what was typed after the name."""

    name = None

    @classmethod
    def called(cls):
        return cls.name or cls.__name__.lower()
