#!/usr/bin/env python3
"""What Python costs, beside the command line on the same traces: the table of
docs/python.md. Runs with the installed package. The numbers are processor time, with
that of the workers, the best of five: a busy machine does not make them wrong."""
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import ipafuzz
from ipafuzz import border

COUNT = 1000
REPEATS = 5


def spent():
    """Seconds of processor time, of this process and of those that have ended."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def best(do):
    """Seconds."""
    took = []
    for _ in range(REPEATS):
        begun = spent()
        do()
        took.append(spent() - begun)
    return min(took)


def program(*arguments):
    said = subprocess.run([border.PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL)
    assert said.returncode in (0, 1)


def row(what, python, command=None):
    beside = f"{command * 1e6 / COUNT:.0f} µs | {python / command:.1f}" if command else "|"
    print(f"| {what} | {python * 1e6 / COUNT:.{0 if command else 1}f} µs | {beside} |", flush=True)


def each(do):
    return lambda: [do() for _ in range(COUNT)]


def replay_all(traces, way):
    with ipafuzz.Target("ref", way=way) as target:
        for trace in traces:
            target.replay(trace)
    while any(pathlib.Path(f"/proc/self/task/{task}/children").read_text() for task in os.listdir("/proc/self/task")):
        time.sleep(0.01)  # the worker's time counts when it is gone


def main():
    traces = list(ipafuzz.generate_many("tiny", count=COUNT))
    print(f"{COUNT} traces of tiny, {sum(map(len, traces)) / COUNT:.0f} calls and "
          f"{sum(len(t.text) for t in traces) / COUNT:.0f} bytes on the average\n")
    print("| | Python | command line | ratio |\n|---|---|---|---|")
    row("a call over the border and back, nothing done", best(each(lambda: border.call("configure"))))
    row("a long call, begun and waited for, nothing done", best(each(lambda: border.run("read", paths=[]))))
    row("reading a trace: `Trace(text)`", best(lambda: [ipafuzz.Trace(t.text) for t in traces]))
    many = best(lambda: program("gen", "--profile", "tiny", "-n", COUNT))
    row("`generate` one by one; `gen -n 1000`",
        best(lambda: [ipafuzz.generate("tiny", number=n) for n in range(COUNT)]), many)
    row("`generate_many`; `gen -n 1000`", best(lambda: list(ipafuzz.generate_many("tiny", count=COUNT))), many)
    with tempfile.NamedTemporaryFile("w", suffix=".trace") as file:
        file.write("".join(map(str, traces)))
        file.flush()
        for way in ("persistent", "fork"):
            row(f"`replay` on an open target, {way}; `replay --way {way}` of all",
                best(lambda: replay_all(traces, way)),
                best(lambda: program("replay", "-q", "--way", way, "--target", "ref", file.name)))
    few = traces[:COUNT // 20]
    with tempfile.NamedTemporaryFile("w", suffix=".trace") as file:
        file.write(str(few[0]))
        file.flush()
        row("`replay` on a target by its name; `replay` of one file",
            20 * best(lambda: [ipafuzz.replay(t, "ref") for t in few]),
            20 * best(lambda: [program("replay", "-q", "--target", "ref", file.name) for t in few]))


if __name__ == "__main__":
    main()
