"""The parameters of the model: src/base/parameters.h."""
import memory
import program


class Parameter:
    """A matrix. parameter[i][j] is an Element."""

    def __init__(self, value):
        self.name = program.string(value["name"])
        self.rows = int(value["rows"])
        self.cols = int(value["cols"])
        self.data = int(value["data"])
        self.grad = int(value["grad"])

    def row(self, i):
        """The numbers of row i."""
        return memory.read(self.data + 8 * i * self.cols, self.cols, "d")

    def __getitem__(self, i):
        return [Element(self, i, j) for j in range(self.cols)] if i < self.rows else []

    def element_at(self, address):
        """The element whose data or gradient is at this address, or None."""
        for block in (self.data, self.grad):
            index, rest = divmod(int(address) - block, 8)
            if 0 <= index < self.rows * self.cols and rest == 0:
                return Element(self, *divmod(index, self.cols))
        return None


class Element:
    """One number of a parameter matrix, with the address of its gradient."""

    def __init__(self, parameter, i, j):
        offset = 8 * (i * parameter.cols + j)
        self.name = f"{parameter.name}[{i}][{j}]"
        self.row_name = f"{parameter.name}[{i}]"
        self.grad_address = parameter.grad + offset
        self.data_address = parameter.data + offset

    @property
    def data(self):
        return memory.read(self.data_address, 1, "d")[0]

    @property
    def grad(self):
        return memory.read(self.grad_address, 1, "d")[0]


def by_name(parameters):
    """The matrices of a value of type Parameters: {name: Parameter}."""
    matrices = [Parameter(item) for item in memory.vector(parameters["matrices_"])]
    return {parameter.name: parameter for parameter in matrices}


def of_program():
    """The matrices of all variables of type Parameters: those named `parameters` first, then the nearest frames
    first."""
    found = [item for item in program.variables() if program.type_name(item[1]) == "microgpt::Parameters"]
    found.sort(key=lambda item: item[0] != "parameters")
    return [matrix for _, value in found for matrix in by_name(program.plain(value)).values()]


def named(name):
    """The matrix of that name, or None."""
    return next((matrix for matrix in of_program() if matrix.name == name), None)


def element_at(address, matrices):
    """The element of these matrices whose data or gradient is at this address, or None."""
    found = (matrix.element_at(address) for matrix in matrices)
    return next((element for element in found if element is not None), None)
