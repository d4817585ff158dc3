"""Serving a solver written in Python, or with a Python interface, as a pipe target
(docs/protocol.md). Beside blame and effort, this module does not need the rest of the package."""
from __future__ import annotations

import copy
import inspect
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from . import blame
from .blame import SolverFault
from .effort import Effort

_SAID = 4000  # the most bytes of an exception's text that are sent
_SERVED = b"served\n"  # what a process writes at the end of its trace

_PIPE_MODELS = {True: "ipamir", False: "ipasir"}


def serve(solver: Any, *, model: str | None = None, signature: str | None = None, describe: str = "", fork: bool = True,
          renumber_above: int | None = None, glue: Iterable[str] = ()) -> None:
    """Serves a solver until ipafuzz has no more traces. ``solver`` is a solver, or a class or
    function that makes one. These methods are used if the solver has them:

    ``add(clause)``
        adds a clause, a list of literals; may also be called ``hard`` or ``add_clause``
    ``soft(literal, weight)``
        the literal costs the weight when it is true; a second declaration replaces the weight.
        A solver with this method serves ipamir, others ipasir
    ``assume(literal)``
        adds an assumption for the next solve; without this method, ``solve(assumptions)`` gets
        all of them
    ``solve()``
        returns True, False or None (unknown), or the number that IPASIR or IPAMIR defines
    ``val(literal)``
        returns what IPASIR defines, or True, False, None if the literal is true, is false, does
        not matter; or instead ``model()`` or ``get_model()``, which returns the true literals
    ``obj()``
        returns the cost of the solution (ipamir)
    ``failed(literal)``
        tells whether an assumption failed; or instead ``core()`` or ``get_core()``, which returns
        the failed ones
    ``proof()``
        returns the proof so far in DRAT, as a list of lines, or one for VeriPB as a text, or None.
        ``describe`` offers it by ``fixed proof choice none|drat none when=start`` (or
        ``none|veripb``), which ``option`` then gets
    ``option(name, value)``
        sets an option, a str; returns False to refuse it. ``describe`` lists the options
    ``terminate(callback)``
        sets a callback that returns True when the solver should stop, or None
    ``learn(callback, length)``
        sets a callback that gets learned clauses of up to that length, or None
    ``close()``
        frees the solver; may also be called ``release`` or ``delete``

    An exception of the solver is a finding. ``glue`` names the files between ipafuzz and the solver, if they are not
    under test: an exception that arises in them, and not in what they call, is no finding but ends ipafuzz with exit
    code 3. They raise SolverFault to say that the solver is at fault. ``describe`` adds lines to the runner's
    description: options, policies, bounds, "lacks ...". Each trace runs in a process forked
    from this one, so a crash ends that trace only; with ``fork=False`` all traces run in this
    process. ``renumber_above`` gives higher variables the next free numbers, for solvers whose
    tables grow with the highest variable.

    What the solver prints goes to stderr, because stdout belongs to the protocol.
    """
    out = os.dup(1)
    os.dup2(2, 1)
    maker = _Maker(solver, model, signature, renumber_above, tuple(glue))
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
    """Makes solvers and knows their capabilities."""

    def __init__(self, solver: Any, model: str | None, signature: str | None, renumber_above: int | None,
                 glue: tuple[str, ...]):
        self.renumber_above, self.glue = renumber_above, glue
        if inspect.isclass(solver) or callable(solver) and not _method(solver, "solve"):
            self.make: Callable[[], Any] = solver
            self.ready = [solver()]  # loads its libraries before the first fork
        else:
            self.make, self.ready = _more_of(solver), [solver]
        first = self.ready[0]
        self.model = model or _PIPE_MODELS[_method(first, "soft") is not None]
        self.signature = signature or getattr(type(first), "signature", None) or type(first).__name__
        if not isinstance(self.signature, str):
            self.signature = str(first.signature())
        capabilities = {"options": "option", "terminate": "terminate", "learn": "learn", "havoc": "havoc"}
        self.lacks = [what for what, method in capabilities.items() if _method(first, method) is None]
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
    """Returns a function that makes more solvers like an unused one."""
    try:
        inspect.signature(type(solver)).bind()
        return type(solver)
    except (TypeError, ValueError):  # it takes arguments, or has no signature
        pass
    try:
        pristine = copy.deepcopy(solver)
        return lambda: copy.deepcopy(pristine)
    except Exception as why:
        raise TypeError(f"more solvers than this {type(solver).__name__} cannot be made ({why}); "
                        "give serve() a class or a function that makes them") from why


def _method(solver: Any, *names: str) -> Any:
    """Returns the first method with one of these names, or None."""
    for name in names:
        method = getattr(solver, name, None)
        if callable(method):
            return method
    return None


class _Numbering:
    """Maps variables to the solver's numbers: the same, or the next free ones above a
    bound."""

    def __init__(self, bound: int | None):
        self.bound, self.moved = bound, 0
        self.inner_of: dict[int, int] = {}  # in the order of first use, for model
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


class _Instance:
    """One solver of a trace."""

    def __init__(self, maker: _Maker):
        self.solver = solver = maker.new()
        self.weighted = maker.model == "ipamir"
        self.numbers = _Numbering(maker.renumber_above)
        self.effort = Effort(self.numbers.outer)
        self.open: list[int] = []
        self.pending: list[int] = []
        self.assumed: list[int] = []
        self.add = _method(solver, "add", "hard", "add_clause")
        self.val = _method(solver, "val")
        self.model = _method(solver, "model", "get_model")
        self.failed = _method(solver, "failed")
        self.core = _method(solver, "core", "get_core")
        self.true: dict[int, int] | None = None  # of the last solve, if there is only model

    def close(self) -> None:
        close = _method(self.solver, "close", "release", "delete")
        if close is not None:
            close()

    def solve(self) -> str:
        self.assumed, self.pending, self.true = self.pending, [], None
        with self.effort.solving():
            answer = self.answer()
        if answer is None:
            status = 0
        elif _is_truth(answer):
            status = 20 if not answer else 30 if self.weighted else 10
        else:
            status = _number(answer, "solve")
        return f"{status} {self.effort}"

    def answer(self) -> Any:
        """Lets the solver solve, and returns what it returns."""
        if _method(self.solver, "assume"):
            for literal in self.assumed:
                self.solver.assume(literal)
            return self.solver.solve()
        if not self.assumed:
            return self.solver.solve([]) if _positional(self.solver.solve) else self.solver.solve()
        if _positional(self.solver.solve):
            return self.solver.solve(self.assumed)
        return self.solver.solve(assumptions=self.assumed)

    def value(self, literal: int) -> int:
        """Returns the value of a literal in the solver's numbering, as IPASIR defines it."""
        if self.val is not None:
            answer = self.val(literal)
            if answer is None:
                return 0
            return _number(answer, "val") if not _is_truth(answer) else literal if answer else -literal
        if self.true is None:
            self.true = {abs(true): true for true in _numbers(self.model(), "the model")}
        return self.true.get(abs(literal), 0)

    def failing(self) -> list[int]:
        return _numbers(self.core(), "the core")

    def proof_line(self, line: str) -> str:
        """Returns a line of DRAT in the numbering of the trace, as part of a quoted text."""
        words = (word if word == "d" else str(self.numbers.outer(_number(word, "proof"))) for word in line.split())
        return " ".join(words) + "\\x0a"

    def proof_text(self, text: str) -> str:
        """Returns a proof for VeriPB in the numbering of the trace, as part of a quoted text."""
        named = re.sub(r"\bx(\d+)", lambda name: f"x{self.numbers.outer(int(name[1]))}", text)
        return named.replace("\n", "\\x0a")

    def call(self, name: str, args: list[str]) -> str:
        """Makes one call and returns what follows '='."""
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
            # A solver need not know variables that it never got.
            known = abs(literal) in numbers.inner_of
            return str(numbers.outer(self.value(numbers.inner(literal)) or 0) if known else 0)
        elif name == "model":
            values = [(variable, self.value(number)) for variable, number in numbers.inner_of.items()]
            return " ".join(str(variable if value > 0 else -variable) for variable, value in values if value)
        elif name == "obj":
            return str(_number(self.solver.obj(), "obj"))
        elif name == "failed" and (self.failed or self.core):
            literal = numbers.inner(int(args[0]))
            return str(int(bool(self.failed(literal) if self.failed else literal in self.failing())))
        elif name == "core" and (self.failed or self.core):
            if self.core:
                core = self.failing()
            else:
                core = [literal for literal in dict.fromkeys(self.assumed) if self.failed(literal)]
            return " ".join(str(numbers.outer(literal)) for literal in core)
        elif name == "option" and _method(self.solver, "option"):
            return "1" if self.solver.option(args[0], args[1]) is False else "0"
        elif name == "proof" and _method(self.solver, "proof"):
            proof = self.solver.proof()
            if proof is None:
                return "?"
            if isinstance(proof, str):
                return '"' + self.proof_text(proof) + '"'
            return '"' + "".join(self.proof_line(line) for line in proof) + '"'
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


def _number(answer: Any, what: str) -> int:
    try:
        return int(answer)
    except (TypeError, ValueError, OverflowError):
        raise SolverFault(f"{what} returned {answer!r}, which is no number") from None


def _numbers(answer: Any, what: str) -> list[int]:
    try:
        return [int(number) for number in answer or ()]
    except (TypeError, ValueError, OverflowError):
        raise SolverFault(f"{what} is {answer!r}, which are no numbers") from None


def _is_truth(answer: Any) -> bool:
    """Recognizes numpy's truth values too, which are not bool and not a status."""
    return isinstance(answer, bool) or type(answer).__name__ in ("bool", "bool_")


def _positional(solve: Any) -> bool:
    """Tells whether assumptions are the first argument."""
    try:
        parameters = list(inspect.signature(solve).parameters.values())
    except (TypeError, ValueError):
        return True
    return bool(parameters) and parameters[0].kind in (inspect.Parameter.POSITIONAL_ONLY,
                                                       inspect.Parameter.POSITIONAL_OR_KEYWORD,
                                                       inspect.Parameter.VAR_POSITIONAL)


def _printable(text: str) -> str:
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else "\\x%02x" % b
                   for b in text.encode("utf-8", "backslashreplace")[:_SAID])


class _Lines:
    """Reads lines from a file descriptor and keeps what follows them."""

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
    """Answers all lines of a trace after the first."""
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
        except Exception as thrown:
            if blame.is_ours(thrown, maker.glue):
                blame.end(thrown)
            threw = True
            answers.append(f'threw "{_printable(traceback.format_exc()[-_SAID:])}"')


def _serve_forked(maker: _Maker, lines: _Lines, out: int) -> None:
    """Answers a trace in a forked process. If that process fails, this one ends in the same
    way, so that ipafuzz sees it."""
    back, leftover = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(back)
        try:
            _serve_trace(maker, lines, out)
            _write(leftover, _SERVED + lines.rest)
        except BaseException as thrown:
            if isinstance(thrown, Exception):  # not of the solver: _serve_trace has caught those
                blame.end(thrown)
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)  # without destructors, which are not under test
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
    if not said.startswith(_SERVED):  # even with exit code 0
        os._exit(os.WEXITSTATUS(status))
    lines.rest = said[len(_SERVED):]
