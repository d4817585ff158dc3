"""The base classes of the solvers. A class names its package and its module. The runner imports the module once, before
it starts processes for traces, because an import takes longer than a trace."""
import importlib.metadata


class Served:
    """A solver. It keeps options as text until a solve needs them."""

    package, module, model, options, more = "", "", "ipasir", "", ""

    def __init__(self):
        self.set, self.clauses, self.weights = {}, [], {}
        self.values, self.failed, self.cost = {}, (), None

    @classmethod
    def signature(cls):
        return f"{cls.__name__} of {cls.package} {importlib.metadata.version(cls.package)}"

    @classmethod
    def describe(cls):
        options = cls.options or "lacks options\n"
        return f"lacks learn\nlacks havoc\nlacks terminate\nmodel {cls.model}\n{options}{cls.more}"

    def option(self, name, value):
        self.set[name] = value
        return f"option {name} " in self.options

    def add(self, clause):
        self.clauses.append(clause)

    def val(self, literal):
        return self.values.get(abs(literal), 0)

    def core(self):
        return self.failed

    def close(self):
        pass

    def variables(self, assumptions):
        """Returns all variables of clauses, weights and assumptions, in order."""
        return sorted({abs(l) for c in self.clauses for l in c} | {abs(l) for l in self.weights} |
                      {abs(l) for l in assumptions})

    def cost_of(self, true):
        return sum(w for l, w in self.weights.items() if (l > 0) == true[abs(l)])


class Max:
    """The additional calls of a solver that minimises costs."""

    def soft(self, literal, weight):
        self.weights[literal] = weight

    def obj(self):
        return self.cost
