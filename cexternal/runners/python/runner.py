#!/usr/bin/env python3
"""Serves solvers that have a Python interface to ipafuzz (docs/protocol.md).

    runner.py SOLVER        one of solvers.NAMES

Each trace runs in a process forked off this one, which has the library loaded
and has never used it. So a trace leaves nothing behind, and a solver that
crashes takes only its trace along; this process then ends in the same way, for
ipafuzz to see.
"""
import os
import signal
import sys
import traceback

import solvers

MOST_AS_THEY_ARE = 5000


class Numbering:
    """Gives variables numbers of the solver's: their own, and for those above
    MOST_AS_THEY_ARE, because tables are as long as the highest, the next ones."""

    def __init__(self):
        self.inner_of = {}  # in the order of their first use, for model
        self.outer_of = {}
        self.moved = 0

    def inner(self, literal):
        variable = abs(literal)
        if variable not in self.inner_of:
            number = variable
            if variable > MOST_AS_THEY_ARE:
                self.moved += 1
                number = MOST_AS_THEY_ARE + self.moved
            self.inner_of[variable] = number
            self.outer_of[number] = variable
        return self.inner_of[variable] if literal > 0 else -self.inner_of[variable]

    def outer(self, literal):
        variable = self.outer_of.get(abs(literal), abs(literal))
        return variable if literal > 0 else -variable


class Instance:
    """One solver of a trace."""

    def __init__(self, name):
        self.solver = solvers.make(name)
        self.numbers = Numbering()
        self.open, self.assumptions = [], []

    def value(self, variable):
        return self.solver.value(self.numbers.inner_of[variable]) if variable in self.numbers.inner_of else 0

    def call(self, name, args):
        """Makes one call and returns what stands behind '='."""
        if name in ("add", "hard"):
            for literal in map(int, args):
                if literal:
                    self.open.append(self.numbers.inner(literal))
                else:
                    clause, self.open = self.open, []
                    self.solver.add(clause)
        elif name == "soft":
            self.solver.soft(self.numbers.inner(int(args[0])), int(args[1]))
        elif name == "assume":
            self.assumptions.append(self.numbers.inner(int(args[0])))
        elif name == "solve":
            assumptions, self.assumptions = self.assumptions, []
            return self.solver.solve(assumptions)
        elif name == "val":
            literal = int(args[0])
            value = self.value(abs(literal))
            return str(0 if not value else literal if (value > 0) == (literal > 0) else -literal)
        elif name == "model":
            return " ".join(str(v if self.value(v) > 0 else -v) for v in self.numbers.inner_of if self.value(v))
        elif name == "obj":
            return str(self.solver.objective())
        elif name == "failed":
            return "1" if self.numbers.inner(int(args[0])) in self.solver.core() else "0"
        elif name == "core":
            return " ".join(str(self.numbers.outer(literal)) for literal in self.solver.core())
        elif name == "option":
            return "0" if self.solver.option(args[0], args[1]) else "1"
        elif name == "terminate":
            self.solver.terminate(None if args[0] == "off" else int(args[0]))
        else:
            return "?"
        return ""


def printable(text):
    return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else "\\x%02x" % b for b in text.encode()[:4000])


class Lines:
    """Lines of a file descriptor, and what was read beyond them."""

    def __init__(self, fd):
        self.fd, self.rest = fd, b""

    def empty(self):
        return b"\n" not in self.rest

    def next(self):
        while self.empty():
            more = os.read(self.fd, 1 << 16)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()


def write(fd, data):
    while data:
        data = data[os.write(fd, data):]


def serve_trace(name, lines, out):
    """Answers all lines of a trace behind the first one."""
    instances, answers, threw = {}, ["="], False
    while True:
        if lines.empty():
            write(out, "".join(a + "\n" for a in answers).encode())
            answers = []
        line = lines.next()
        if line is None:
            return
        words = line.split()
        if words == ["end"]:
            write(out, "".join(a + "\n" for a in answers + ["end"]).encode())
            return
        if threw or not words:
            answers.append("= ?")
            continue
        key = words.pop(0) if words[0].startswith("@") else ""
        try:
            if words[0] == "init":
                instances[key] = Instance(name)
                answer = ""
            elif words[0] == "release":
                instances.pop(key).solver.close()
                answer = ""
            elif words[0] == "signature":
                answer = '"' + printable(solvers.signature(name)) + '"'
            else:
                answer = instances[key].call(words[0], words[1:])
            answers.append(("= " + answer).rstrip())
        except Exception:
            threw = True
            answers.append('threw "' + printable(traceback.format_exc()[-4000:]) + '"')


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in solvers.NAMES:
        sys.exit("usage: runner.py " + "|".join(solvers.NAMES))
    name = sys.argv[1]
    out = os.dup(1)
    os.dup2(2, 1)  # solvers print there
    hello = solvers.describe(name)  # loads the library
    write(out, ("ipafuzz-runner 1\nrepeatable\nsignature " + solvers.signature(name) + "\n" + hello + "ready\n").encode())
    lines = Lines(0)
    while True:
        line = lines.next()
        if line is None:
            return
        if not line.startswith("ipafuzz "):
            write(out, b"= ?\n")
            continue
        back, leftover = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(back)
            serve_trace(name, lines, out)
            write(leftover, lines.rest)
            os._exit(0)  # destructors are not what is tested
        os.close(leftover)
        lines.rest = b""
        while True:
            more = os.read(back, 1 << 16)
            if not more:
                break
            lines.rest += more
        os.close(back)
        status = os.waitpid(pid, 0)[1]
        if os.WIFSIGNALED(status):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL) if os.WTERMSIG(status) not in (signal.SIGKILL, signal.SIGSTOP) else None
            os.kill(os.getpid(), os.WTERMSIG(status))
        if os.WEXITSTATUS(status):
            os._exit(os.WEXITSTATUS(status))


main()
