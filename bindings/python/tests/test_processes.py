"""What ipafuzz does to the process that uses it: signals, threads, forks, memory."""
import contextlib
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading

import pytest

import ipafuzz
from ipafuzz import border

TINY = "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsolve\nobj\n"
HANGING = "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 1\nsoft -1 1\nsolve\n"
LOOPS = "ref:defect=complementary-loop"


DEADLINE = 120  # seconds for a child, however busy the machine is


def python(text, **more):
    """Runs a script in a new interpreter."""
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=DEADLINE, **more)


@contextlib.contextmanager
def interpreter(text, *arguments):
    """A new interpreter with a script. It is killed at the deadline and at the end, so that
    nobody waits for ever."""
    with subprocess.Popen([sys.executable, "-c", text, *arguments], stdout=subprocess.PIPE, text=True) as child:
        overdue = threading.Timer(DEADLINE, child.kill)
        overdue.start()
        try:
            yield child
        finally:
            overdue.cancel()
            child.kill()


def test_importing_starts_nothing():
    said = python("""
import ipafuzz, os, sys
assert len(os.listdir("/proc/self/task")) == 1, "threads"
assert open(f"/proc/self/task/{os.getpid()}/children").read() == "", "processes"
assert "ipafuzz._border" not in sys.modules
ipafuzz.generate()
assert len(os.listdir("/proc/self/task")) > 1
assert open(f"/proc/self/task/{os.getpid()}/children").read() == "", "processes"
""")
    assert said.returncode == 0, said.stderr


def test_workers_are_the_shipped_program():
    with ipafuzz.Target("ref") as target:
        target.replay(TINY)
        programs = set()
        for task in os.listdir("/proc/self/task"):
            for child in pathlib.Path(f"/proc/self/task/{task}/children").read_text().split():
                programs.add(os.readlink(f"/proc/{child}/exe"))
    assert programs == {os.path.realpath(border.PROGRAM)}


def test_the_interpreter_is_no_worker():
    """The C code that makes a process a worker is in the module too."""
    said = python(f"import ipafuzz; print(len(ipafuzz.generate('tiny', seed=1)), ipafuzz.replay({TINY!r}, "
                  f"'ref').answers)",
                  env={**os.environ, "IPAFUZZ_WORKER_FD": "3"})
    assert said.stdout == f"{len(ipafuzz.generate('tiny', seed=1))} [None, None, 30, 0]\n", said.stderr


INTERRUPTED = {
    "campaign": "ipafuzz.Campaign(None, ['ref'], on_progress=ready).run()",
    "replay": f"ready(); ipafuzz.replay({HANGING!r}, {LOOPS!r}, cpu=0, wall=0)",
    "pipe": "import os; os.mkfifo(sys.argv[1]); ready(); list(ipafuzz.read(sys.argv[1]))",
    "stats": "ready(); ipafuzz.stats('wcnfuzz', count=10**9)",
}


@pytest.mark.parametrize("what", INTERRUPTED)
def test_ctrl_c(what, tmp_path):
    """It ends the call, and the interpreter lives on. Background jobs of a shell ignore
    SIGINT, and their children do, so that the script restores the handler."""
    script = f"""
import ipafuzz, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
ipafuzz.generate()
def ready(*ignored):
    sys.stdout.write("ready\\n")
    sys.stdout.flush()
try:
    {INTERRUPTED[what]}
except KeyboardInterrupt:
    print("interrupted", len(ipafuzz.generate()) > 0)
"""
    with interpreter(script, tmp_path / "pipe") as child:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        rest = child.stdout.read()
        assert rest.endswith("interrupted True\n") and child.wait() == 0


def test_the_lock_is_released():
    """A thread that waits on the other side does not hold up the others."""
    module = border._load()
    number = module.bindings_Start("replay", '{"trace": "ipafuzz 1 ipamir\\nsolve\\n", "open": {"target": "pipe:sleep '
                                   '100", "model": "ipamir", "way": "fork"}}')
    said = []
    waiting = threading.Thread(target=lambda: said.append(module.bindings_Wait(number, 10**6)), daemon=True)
    waiting.start()
    assert waiting.is_alive()
    module.bindings_Leave(number)  # would not be reached before the wait is over
    assert not said


def test_threads():
    with ipafuzz.Target("ref") as shared:
        wrong = []

        def work(seed):
            try:
                for trace in ipafuzz.generate_many("tiny", count=15, seed=seed):
                    with ipafuzz.Target("ref", way="persistent") as own:
                        for target in (shared, own):
                            result = target.replay(trace)
                            if result.findings or result.model != trace.model:
                                wrong.append(result)
            except BaseException as exception:
                wrong.append(exception)

        threads = [threading.Thread(target=work, args=(seed,), daemon=True) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
        assert not any(thread.is_alive() for thread in threads)
    assert not wrong


def replayed(seed):
    """For processes that are spawned: they import this module."""
    return ipafuzz.replay(ipafuzz.generate("tiny", seed=seed), "ref:defect=17")


def failing(text):
    ipafuzz.Trace(text)


def test_spawned_processes():
    ipafuzz.generate()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.map_async(replayed, range(4)).get(DEADLINE)
        with pytest.raises(ipafuzz.ParseError) as caught:
            pool.apply_async(failing, ("ipafuzz 1 ipamir\nhard x\n",)).get(DEADLINE)
    assert [(r.answers, r.findings) for r in results] == [(r.answers, r.findings) for r in map(replayed, range(4))]
    assert (caught.value.line, caught.value.column) == (2, 6)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fork_is_refused():
    ipafuzz.generate()
    target = ipafuzz.Target("ref")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        with pytest.raises(ipafuzz.ForkError, match="spawn"):
            pool.apply_async(replayed, (1,)).get(DEADLINE)
    back, there = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(DEADLINE)
        try:
            target.close()  # does nothing here
            ipafuzz.generate()
        except ipafuzz.ForkError:
            os.write(there, b"refused")
        finally:
            os._exit(0)
    os.close(there)
    os.waitpid(pid, 0)
    assert os.read(back, 100) == b"refused"
    assert target.replay(TINY).answers[-2:] == [30, 0]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fork_in_the_middle_of_reading(tmp_path):
    """What waits on the other side is not waited for in a process that has no other side."""
    for number in range(200):
        ipafuzz.generate("tiny", seed=number).save(tmp_path / f"{number}.trace")
    reading = ipafuzz.read(tmp_path)
    next(reading)
    pid = os.fork()
    if pid == 0:
        signal.alarm(DEADLINE)
        try:
            list(reading)
        except ipafuzz.ForkError:
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert len(list(reading)) == 199


def test_fork_before_the_first_use():
    said = python("""
import ipafuzz, os
pid = os.fork()
length = len(ipafuzz.generate("tiny", seed=1))
if pid:
    assert os.waitpid(pid, 0)[1] == 0
print(length, flush=True)
""")
    assert said.returncode == 0 and len(said.stdout.split()) == 2, said.stderr


def test_too_little_address_space():
    said = subprocess.run(["sh", "-c", 'ulimit -v 1000000; exec "$0" -c "$1"', sys.executable, """
import ipafuzz
try:
    ipafuzz.generate()
except ipafuzz.SurroundingsError as error:
    print(error)
"""], capture_output=True, text=True, timeout=DEADLINE)
    assert "address space" in said.stdout, said.stderr


def test_what_is_open_at_the_end_does_no_harm():
    said = python(f"import ipafuzz\nt = ipafuzz.Target('ref')\nt.replay({TINY!r})\ng = ipafuzz.generate_many()\n"
                  f"next(g)\n"
                  f"r = ipafuzz.border.Job('replay', dict(trace={HANGING!r}, open=dict(target={LOOPS!r}, "
                  f"way='fork')))\n")
    assert (said.returncode, said.stderr) == (0, "")


def resident():
    """Bytes."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


ROUNDS = int(os.environ.get("IPAFUZZ_ROUNDS", "2000"))


def test_memory_does_not_grow():
    """IPAFUZZ_ROUNDS=100000 is the long version."""
    def rounds(first, count):
        for number in range(first, first + count):
            trace = ipafuzz.generate("small", seed=2, number=number)
            result = target.replay(trace)
            assert result.log and trace.notes and trace.text and trace.model

    with ipafuzz.Target("ref", way="persistent") as target:
        rounds(0, 500)
        before = resident()
        rounds(500, ROUNDS)
        grown = resident() - before
    print(f"{ROUNDS} rounds: {before >> 10} KiB before, {grown >> 10} KiB more after")
    assert grown < 8 << 20, f"{grown / ROUNDS:.0f} bytes a round"


def test_reading_a_text_does_not_leak():
    trace = max((ipafuzz.generate("published", seed=seed) for seed in range(20)), key=lambda trace: len(trace.text))
    assert len(trace.text) > 10_000
    for _ in range(200):
        trace.calls, ipafuzz.Trace(trace.text)
    before = resident()
    for _ in range(1000):
        trace.text, trace.notes, str(trace), trace.calls, ipafuzz.Trace(trace.text)
    grown = resident() - before
    assert grown < 8 << 20, grown


def test_pickles():
    for value in (replayed(1), ipafuzz.generate(), *replayed(1).findings):
        assert pickle.loads(pickle.dumps(value)) == value
    with ipafuzz.Target("ref:defect=17", cpu=7) as target:
        copy = pickle.loads(pickle.dumps(target))
    assert copy._open["cpu"] == 7 and copy.replay(TINY).answers[-2:] == [30, 0]  # the original is closed
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(target)
    error = pickle.loads(pickle.dumps(ipafuzz.TargetError("text", "ref")))
    assert error.target == "ref" and str(error) == "text"
