"""Serving a solver written in Python, or with a Python interface, as a pipe target
(docs/protocol.md). Nothing here needs the rest of the package."""
from __future__ import annotations

import copy
import inspect
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Any

_SAID = 4000  # bytes of an exception
_SERVED = b"served\n"  # what a process says at the end of its trace

_PIPE_MODELS = {True: "ipamir", False: "ipasir"}


def serve(solver: Any, *, model: str | None = None, signature: str | None = None, describe: str = "", fork: bool = True,
          renumber_above: int | None = None) -> None:
    """Serves a solver until ipafuzz has no more traces. ``solver`` is a class or a function
    that makes a solver, or a solver. Of its methods are used those that it has:

    ``add(clause)``
        a clause, a list of literals; it may also be called ``hard`` or ``add_clause``
    ``soft(literal, weight)``
        the literal costs the weight when it is true; declared again, the weight is replaced.
        A solver with this method serves ipamir, others ipasir
    ``assume(literal)``
        an assumption for the next solve; where there is no such method, all of them are the
        argument of ``solve(assumptions)``
    ``solve()``
        True, False or None (not known), or the number that IPASIR or IPAMIR has for it
    ``val(literal)``
        as IPASIR has it, or True, False, None for that the literal is true, is false, does not
        matter; or instead ``model()``, the literals that are true (``get_model`` will do)
    ``obj()``
        what the solution costs (ipamir)
    ``failed(literal)``
        whether an assumption failed; or instead ``core()``, those that did (``get_core`` will do)
    ``option(name, value)``
        sets an option, a str; False when it is refused. The options stand in ``describe``
    ``terminate(callback)``
        a callback that returns True when the solver should stop, None for none
    ``learn(callback, length)``
        a callback that is given learned clauses of up to that length, None for none
    ``close()``
        the solver is not needed any more; it may also be called ``release`` or ``delete``

    What the solver throws is a finding. ``describe`` are more lines of what a runner says
    first: options, policies, bounds, "lacks ...". Each trace runs in a process forked off
    this one, so that it leaves nothing behind and a crash takes only itself along; with
    ``fork=False`` all run in this one. ``renumber_above`` gives variables above it the next
    free numbers, for solvers with tables as long as the highest.

    What the solver prints goes to stderr: stdout belongs to the protocol.
    """
    out = os.dup(1)
    os.dup2(2, 1)
    maker = _Maker(solver, model, signature, renumber_above)
    _write(out, maker.hello(describe, fork))
    lines = _Lines(0)
    while (line := lines.next()) is not None:
        if not line.startswith("ipafuzz "):
            _write(out, b"= ?\n")
        elif fork:
            _serve_forked(maker, lines, out)
        else:
            _serve_trace(maker, lines, out)


class _Maker:
    """Makes solvers, and knows what they can."""

    def __init__(self, solver: Any, model: str | None, signature: str | None, renumber_above: int | None):
        self.renumber_above = renumber_above
        if inspect.isclass(solver) or callable(solver) and not _method(solver, "solve"):
            self.make: Callable[[], Any] = solver
            self.ready = [solver()]  # loads what it needs before processes are forked off
        else:
            self.make, self.ready = _more_of(solver), [solver]
        first = self.ready[0]
        self.model = model or _PIPE_MODELS[_method(first, "soft") is not None]
        self.signature = signature or getattr(type(first), "signature", None) or type(first).__name__
        if not isinstance(self.signature, str):
            self.signature = str(first.signature())
        self.lacks = [what for what, method in (("options", "option"), ("terminate", "terminate"), ("learn", "learn"), ("havoc", "havoc"))
                      if _method(first, method) is None]
        for wanted in (("add", "hard", "add_clause"), ("solve",), ("val", "model", "get_model")):
            if not any(_method(first, name) for name in wanted):
                raise TypeError(f"{type(first).__name__} has no method {' or '.join(wanted)}")

    def hello(self, describe: str, fork: bool) -> bytes:
        said = describe.split("\n")
        lacks = [f"lacks {what}" for what in self.lacks if f"lacks {what}" not in said]
        models = [] if any(line.startswith("model ") for line in said) else [f"model {self.model}"]
        parts = ["ipafuzz-runner 1", *(["repeatable"] if fork else []), *models, f"signature {self.signature}", *lacks,
                 *(line for line in said if line), "ready", ""]
        return "\n".join(parts).encode()

    def new(self) -> Any:
        if self.ready:
            return self.ready.pop()
        return self.make()


def _more_of(solver: Any) -> Callable[[], Any]:
    """What makes more solvers like one that was never used."""
    try:
        inspect.signature(type(solver)).bind()
        return type(solver)
    except (TypeError, ValueError):  # it takes arguments, or does not say
        pass
    try:
        pristine = copy.deepcopy(solver)
        return lambda: copy.deepcopy(pristine)
    except Exception as why:
        raise TypeError(f"more solvers than this {type(solver).__name__} cannot be made ({why}); "
                        "give serve() a class or a function that makes them") from why


def _method(solver: Any, *names: str) -> Any:
    """The first method of these names, None when the solver has none."""
    for name in names:
        method = getattr(solver, name, None)
        if callable(method):
            return method
    return None


class _Numbering:
    """Gives variables numbers of the solver's: their own, and for those above a bound the
    next ones."""

    def __init__(self, bound: int | None):
        self.bound, self.moved = bound, 0
        self.inner_of: dict[int, int] = {}  # in the order of their first use, for model
        self.outer_of: dict[int, int] = {}

    def inner(self, literal: int) -> int:
        variable = abs(literal)
        if variable not in self.inner_of:
            number = variable
            if self.bound is not None and variable > self.bound:
                self.moved += 1
                number = self.bound + self.moved
            self.inner_of[variable] = number
            self.outer_of[number] = variable
        return self.inner_of[variable] if literal > 0 else -self.inner_of[variable]

    def outer(self, literal: int) -> int:
        variable = self.outer_of.get(abs(literal), abs(literal))
        return variable if literal > 0 else -variable


class _Effort:
    """What a solver does with its callbacks in a solve."""

    def __init__(self, outer: Callable[[int], int]):
        self.outer = outer
        self.count: int | None = None  # the callback says stop from this call on, 0 is never
        self.length: int | None = None  # of learned clauses
        self.begin()

    def begin(self) -> None:
        self.polls = self.polls_after = self.learned = self.too_long = 0
        self.clauses: list[int] = []
        self.begun = time.monotonic_ns()

    def poll(self) -> bool:
        assert self.count is not None
        self.polls_after += 0 < self.count <= self.polls
        self.polls += 1
        return 0 < self.count <= self.polls

    def learn(self, clause: Iterable[int]) -> None:
        literals = list(clause)
        self.learned += 1
        if self.length is not None and len(literals) > self.length:
            self.too_long += 1
        else:
            self.clauses += [*map(self.outer, literals), 0]

    def __str__(self) -> str:
        words = [f"nanos={time.monotonic_ns() - self.begun}"]
        words += [f"{name}={n}" for name, n in (("polls", self.polls), ("polls-after-stop", self.polls_after), ("learned", self.learned),
                                               ("too-long", self.too_long)) if n]
        if self.clauses:
            words += ["clauses", *map(str, self.clauses)]
        return " ".join(words)


class _Instance:
    """One solver of a trace."""

    def __init__(self, maker: _Maker):
        self.solver = solver = maker.new()
        self.weighted = maker.model == "ipamir"
        self.numbers = _Numbering(maker.renumber_above)
        self.effort = _Effort(self.numbers.outer)
        self.open: list[int] = []
        self.pending: list[int] = []
        self.assumed: list[int] = []
        self.add = _method(solver, "add", "hard", "add_clause")
        self.val = _method(solver, "val")
        self.model = _method(solver, "model", "get_model")
        self.failed = _method(solver, "failed")
        self.core = _method(solver, "core", "get_core")
        self.true: dict[int, int] | None = None  # of the last solve, when only model is there

    def close(self) -> None:
        close = _method(self.solver, "close", "release", "delete")
        if close is not None:
            close()

    def solve(self) -> str:
        self.assumed, self.pending, self.true = self.pending, [], None
        self.effort.begin()
        if _method(self.solver, "assume"):
            for literal in self.assumed:
                self.solver.assume(literal)
            answer = self.solver.solve()
        elif self.assumed:
            answer = self.solver.solve(self.assumed) if _positional(self.solver.solve) else self.solver.solve(assumptions=self.assumed)
        else:
            answer = self.solver.solve([]) if _positional(self.solver.solve) else self.solver.solve()
        if answer is None:
            status = 0
        elif _is_truth(answer):
            status = 20 if not answer else 30 if self.weighted else 10
        else:
            status = int(answer)
        return f"{status} {self.effort}"

    def value(self, literal: int) -> int:
        """As IPASIR has it, of a literal of the solver's numbering."""
        if self.val is not None:
            answer = self.val(literal)
            if answer is None:
                return 0
            return int(answer) if not _is_truth(answer) else literal if answer else -literal
        if self.true is None:
            self.true = {abs(true): true for true in self.model() or ()}
        return self.true.get(abs(literal), 0)

    def call(self, name: str, args: list[str]) -> str:
        """Makes one call and returns what stands behind '='."""
        numbers = self.numbers
        if name in ("add", "hard"):
            for literal in map(int, args):
                if literal:
                    self.open.append(numbers.inner(literal))
                else:
                    clause, self.open = self.open, []
                    self.add(clause)
        elif name == "soft":
            self.solver.soft(numbers.inner(int(args[0])), int(args[1]))
        elif name == "assume":
            self.pending.append(numbers.inner(int(args[0])))
        elif name == "solve":
            return self.solve()
        elif name == "val":
            literal = int(args[0])
            # Of a variable that it has never met a solver need know nothing.
            return str(numbers.outer(self.value(numbers.inner(literal)) or 0) if abs(literal) in numbers.inner_of else 0)
        elif name == "model":
            values = [(variable, self.value(number)) for variable, number in numbers.inner_of.items()]
            return " ".join(str(variable if value > 0 else -variable) for variable, value in values if value)
        elif name == "obj":
            return str(int(self.solver.obj()))
        elif name == "failed" and (self.failed or self.core):
            literal = numbers.inner(int(args[0]))
            return str(int(bool(self.failed(literal) if self.failed else literal in (self.core() or ()))))
        elif name == "core" and (self.failed or self.core):
            core = self.core() or () if self.core else [literal for literal in dict.fromkeys(self.assumed) if self.failed(literal)]
            return " ".join(str(numbers.outer(literal)) for literal in core)
        elif name == "option" and _method(self.solver, "option"):
            return "1" if self.solver.option(args[0], args[1]) is False else "0"
        elif name == "terminate" and _method(self.solver, "terminate"):
            self.effort.count = None if args[0] == "off" else int(args[0])
            self.solver.terminate(None if self.effort.count is None else self.effort.poll)
        elif name == "learn" and _method(self.solver, "learn"):
            self.effort.length = None if args[0] == "off" else int(args[0])
            self.solver.learn(None if self.effort.length is None else self.effort.learn, self.effort.length or 0)
        elif name == "havoc" and _method(self.solver, "havoc"):
            self.solver.havoc(int(args[0]))
        else:
            return "?"
        return ""


def _is_truth(answer: Any) -> bool:
    """Also numpy's, which is no bool but a number, 1, which is no status."""
    return isinstance(answer, bool) or type(answer).__name__ in ("bool", "bool_")


def _positional(solve: Any) -> bool:
    """Whether assumptions are the first argument."""
    try:
        parameters = list(inspect.signature(solve).parameters.values())
    except (TypeError, ValueError):
        return True
    return bool(parameters) and parameters[0].kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                                                      inspect.Parameter.VAR_POSITIONAL)


def _printable(text: str) -> str:
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else "\\x%02x" % b for b in text.encode("utf-8", "backslashreplace")[:_SAID])


class _Lines:
    """Lines of a file descriptor, and what was read beyond them."""

    def __init__(self, fd: int):
        self.fd, self.rest = fd, b""

    def empty(self) -> bool:
        return b"\n" not in self.rest

    def next(self) -> str | None:
        while self.empty():
            more = os.read(self.fd, 1 << 16)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data):]


def _serve_trace(maker: _Maker, lines: _Lines, out: int) -> None:
    """Answers all lines of a trace behind the first one."""
    instances: dict[str, _Instance] = {}
    answers, threw = ["="], False
    while True:
        if lines.empty():
            _write(out, "".join(a + "\n" for a in answers).encode())
            answers = []
        line = lines.next()
        if line is None:
            return
        words = line.split()
        if words == ["end"]:
            _write(out, "".join(a + "\n" for a in [*answers, "end"]).encode())
            return
        if threw or not words:
            answers.append("= ?")
            continue
        key = words.pop(0) if words[0].startswith("@") else ""
        try:
            if words[0] == "init":
                instances[key] = _Instance(maker)
                answer = ""
            elif words[0] == "release":
                instances.pop(key).close()
                answer = ""
            elif words[0] == "signature":
                answer = f'"{_printable(maker.signature)}"'
            else:
                answer = instances[key].call(words[0], words[1:])
            answers.append(("= " + answer).rstrip())
        except Exception:
            threw = True
            answers.append(f'threw "{_printable(traceback.format_exc()[-_SAID:])}"')


def _serve_forked(maker: _Maker, lines: _Lines, out: int) -> None:
    """Answers a trace in a process of its own. When that ends in another way than it
    should, this one ends in the same way, for ipafuzz to see."""
    back, leftover = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(back)
        try:
            _serve_trace(maker, lines, out)
            _write(leftover, _SERVED + lines.rest)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)  # destructors are not what is tested
    os.close(leftover)
    said = b""
    while more := os.read(back, 1 << 16):
        said += more
    os.close(back)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    if not said.startswith(_SERVED):  # also with exit code 0
        os._exit(os.WEXITSTATUS(status))
    lines.rest = said[len(_SERVED):]
