"""Traces: made, read, written, converted."""
import os
import pickle
import subprocess

import pytest

import ipafuzz
from ipafuzz import border

TEXT = "ipafuzz 2 ipamir\n# a note\nhard 1 -3 0\nsoft 3 17\nsolve want 30\nobj\n"


def test_text_and_parts():
    trace = ipafuzz.Trace(TEXT)
    assert str(trace) == TEXT == trace.text
    assert trace.model == "ipamir" and len(trace) == 4 and trace.notes == ("a note",)
    assert trace.calls == ("hard 1 -3 0", "soft 3 17", "solve", "obj")
    assert trace == ipafuzz.Trace(TEXT) and hash(trace) == hash(ipafuzz.Trace(TEXT)) and trace != TEXT
    assert ipafuzz.Trace.from_bytes(bytes(trace)) == trace
    assert pickle.loads(pickle.dumps(trace)) == trace


@pytest.mark.parametrize("text, error, line, column", [
    ("", ipafuzz.ParseError, 1, 1),
    ("x\n", ipafuzz.ParseError, 1, 1),
    ("ipafuzz 1 ipamir\nhard 1 x 0\n", ipafuzz.ParseError, 2, 8),
    ("ipafuzz 1 ipamir\nhard 1 \0 0\n", ipafuzz.ParseError, 2, 8),
    ("ipafuzz 1 ipamir\nhard 1 \udc80 0\n", ipafuzz.ParseError, 2, 8),
    ("ipafuzz 1 ipamir\nhard 1 0\nval 1\n", ipafuzz.IllegalTrace, 3, 1),
    ("ipafuzz 1 ipamir\n# \u00e9 \udfff\n", ipafuzz.ParseError, 2, 6),
    ("\n\ud800", ipafuzz.ParseError, 2, 1),
    ("a\n\nb\ud800", ipafuzz.ParseError, 3, 2),
])
def test_errors_have_a_place(text, error, line, column):
    with pytest.raises(error) as caught:
        ipafuzz.Trace(text, file="some.trace")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"some.trace:{line}:{column}: want ")
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, ipafuzz.Error)


def test_what_is_no_trace_is_refused():
    for wrong in (b"\0\1\2", b""):
        with pytest.raises(ipafuzz.TraceError):
            ipafuzz.Trace.from_bytes(wrong)
    with pytest.raises(TypeError):
        ipafuzz.replay(7, "ref")


def test_generated_as_by_the_command_line():
    said = subprocess.run([border.PROGRAM, "gen", "--family", "wcnfuzz-tiny", "--seed", "7", "--number", "3"],
                          check=True, capture_output=True, timeout=300, text=True)
    assert str(ipafuzz.generate("wcnfuzz-tiny", seed=7, number=3)) == said.stdout
    assert str(ipafuzz.generate("weights", seed=2**64 - 1, model="ipasir")) == subprocess.run(
        [border.PROGRAM, "gen", "--profile", "weights", "--seed", str(2**64 - 1), "--model", "ipasir"],
        check=True, capture_output=True, timeout=300, text=True).stdout
    some = list(ipafuzz.generate_many("tiny", count=130, seed=5, number=10))
    assert len(some) == 130 and some[129] == ipafuzz.generate("tiny", seed=5, number=139)
    first = [t for t, _ in zip(ipafuzz.generate_many("tiny", seed=5), range(3))]
    assert first[2] == ipafuzz.generate("tiny", seed=5, number=2)


def test_what_cannot_be_generated():
    for wrong in ({"name": "nothing"}, {"seed": -1}, {"seed": 2**64}, {"model": "nothing"}, {"max_calls": 1},
                  {"schedule": "nothing"}, {"avoid": "nothing"}, {"without": "nothing"}):
        with pytest.raises(ipafuzz.UsageError):
            ipafuzz.generate(**wrong)


def test_bounds_and_features():
    trace = ipafuzz.generate("tiny", max_calls=8, avoid=["big-weights", "options"])
    assert trace == ipafuzz.generate("tiny", max_calls=8, avoid="big-weights", without=["options"])  # the old name
    assert len(trace) <= 8
    assert "wcnfuzz-tiny" in ipafuzz.names()["families"] and "mixed" in ipafuzz.names()["profiles"]
    assert "c" in ipafuzz.names()["languages"] and "wcnf" in ipafuzz.names()["formats"]


def test_generated_for_a_target():
    trace = ipafuzz.generate("tiny", target="ref", model="ipasir")
    assert trace.model == "ipasir"
    with pytest.raises(ipafuzz.TargetError):
        ipafuzz.generate("tiny", target="nothing")


def test_files(tmp_path):
    trace = ipafuzz.Trace(TEXT)
    trace.save(tmp_path / "a.trace")
    assert ipafuzz.Trace.read(tmp_path / "a.trace") == trace
    (tmp_path / "b.wcnf").write_text("h 1 2 0\n4 -1 0\n")
    both = list(ipafuzz.read(tmp_path))
    assert both[0] == trace and "solve" in both[1].calls
    assert both[0].name == str(tmp_path / "a.trace")
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.Trace.read(tmp_path)
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.Trace.read(tmp_path / "nothing.trace")
    (tmp_path / "a.trace").write_text("ipafuzz 1 ipamir\nhard x\n")
    with pytest.raises(ipafuzz.ParseError) as caught:
        ipafuzz.Trace.read(tmp_path / "a.trace")
    assert caught.value.file == str(tmp_path / "a.trace") and caught.value.line == 2


def test_reading_is_lazy(tmp_path):
    (tmp_path / "a.trace").write_text(TEXT * 3 + "nonsense\n")
    some = ipafuzz.read(tmp_path / "a.trace")
    assert next(some) == next(some)
    some.close()
    with pytest.raises(ipafuzz.ParseError):
        list(ipafuzz.read(tmp_path / "a.trace"))


def test_formulas():
    trace = ipafuzz.Trace.from_formula("p cnf 2 2\n1 2 0\n-1 0\n", format="cnf")
    assert trace.model == "ipasir"
    assert "p cnf 2 2" in ipafuzz.export(trace, "cnf")
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.export(trace, "nothing")
    with pytest.raises(ipafuzz.Error):
        ipafuzz.Trace.from_formula("p cnf x", format="cnf")
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.export(ipafuzz.Trace("ipafuzz 1 ipamir\nhard 1 0\nsolve\nsolve\n"), "wcnf")


def test_statistics():
    row = ipafuzz.stats("wcnfuzz-tiny", count=50)
    assert row["family"] == "wcnfuzz-tiny" and row["instances"] == 50
    assert row["variables_min"] <= row["variables_mean"] <= row["variables_max"]
    assert all(value is None or isinstance(value, (int, float, str)) for value in row.values())
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.stats("nothing")


def test_archive(tmp_path):
    for i in range(5):
        ipafuzz.generate("tiny", seed=i).save(tmp_path / f"{i}.trace")
    path = tmp_path / "some.traces.zst"
    subprocess.run([border.PROGRAM, "archive", "create", path, *sorted(tmp_path.glob("*.trace"))],
                   check=True, capture_output=True, timeout=300)
    with ipafuzz.Archive(path) as archive:
        assert len(archive) == 5
        assert {str(t) for t in archive} == {str(ipafuzz.generate("tiny", seed=i)) for i in range(5)}
        assert archive[-1] == archive[4] and archive[1:3] == [archive[1], archive[2]]
        assert archive[0] in archive and archive[0].name.endswith(".trace")
        for i in (5, -6):
            with pytest.raises(IndexError):
                archive[i]
    with pytest.raises(ValueError):
        archive[0]
    assert len(ipafuzz.Archive(tmp_path)) == 5
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.Archive(tmp_path / "nothing.traces.zst")
    torn = tmp_path / "torn.traces.zst"
    torn.write_bytes(path.read_bytes()[:-40])
    with pytest.warns(UserWarning, match="torn"):
        ipafuzz.Archive(torn)


@pytest.mark.parametrize("wrong, error, says", [
    (lambda: ipafuzz.generate(seed=1.5), ipafuzz.UsageError,
     r"^seed: want a whole number from 0 to 18446744073709551615, got 1\.5$"),
    (lambda: ipafuzz.generate(seed="7"), ipafuzz.UsageError, "^seed: want a whole number .* got string$"),
    (lambda: ipafuzz.generate(seed=None), TypeError, "seed cannot be None"),
    (lambda: ipafuzz.generate(max_vars=-1), ipafuzz.UsageError, "max_vars"),
    (lambda: ipafuzz.generate(avoid=[b"x"]), TypeError, "got bytes"),
    (lambda: ipafuzz.generate_many(count=-1), ValueError, "-1"),
    (lambda: ipafuzz.Trace(None), TypeError, "NoneType"),
    (lambda: ipafuzz.Trace(b"ipafuzz 1 ipamir"), TypeError, "from_bytes"),
    (lambda: ipafuzz.Trace("\ud800"), ipafuzz.ParseError,
     r"^trace:1:1: want text that can be encoded as UTF-8, got '\\ud800', half of a surrogate pair$"),
    (lambda: ipafuzz.replay("\ud800", "ref"), ipafuzz.UsageError,
     r"^trace: want text that can be encoded as UTF-8, got '\\ud800', half of a surrogate pair, as character 1$"),
    (lambda: ipafuzz.generate(avoid=["a", "\ud800"]), ipafuzz.UsageError, "^avoid: want text"),
    (lambda: ipafuzz.Trace.read("\udcff.cnf"), ipafuzz.UsageError, "^paths: want text"),
    (lambda: ipafuzz.Trace.from_formula(None), TypeError, "text cannot be None"),
    (lambda: ipafuzz.Trace.from_bytes(bytes(ipafuzz.Trace(TEXT))[:-3]), ipafuzz.ParseError,
     "^trace: the binary trace is damaged"),
    (lambda: ipafuzz.replay(TEXT, "ref", cpu=-1), ipafuzz.UsageError, "-1"),
    (lambda: ipafuzz.replay(TEXT, "ref", cpu=float("inf")), ipafuzz.UsageError, "cpu: .* finite"),
    (lambda: ipafuzz.replay(TEXT, "ref", cpu=None), TypeError, "cpu cannot be None"),
    (lambda: ipafuzz.minimize(TEXT, "ref", strategy="x"), ipafuzz.UsageError, "wcnfddmin"),
    (lambda: ipafuzz.minimize(TEXT, "ref", workers=10**6), ipafuzz.UsageError, "1024"),
])
def test_wrong_arguments_are_named(wrong, error, says):
    with pytest.raises(error, match=says):
        wrong()


class Whole:
    """As the integers of numpy."""

    def __index__(self):
        return 7


def test_integers_of_other_libraries():
    assert ipafuzz.generate("tiny", seed=Whole()) == ipafuzz.generate("tiny", seed=7)


def test_archives_are_left_in_order(tmp_path):
    path = tmp_path / "some.traces.zst"
    subprocess.run([border.PROGRAM, "gen", "--profile", "tiny", "-n", "9", "--out", path],
                   check=True, capture_output=True, timeout=300)
    archive = ipafuzz.Archive(path)
    assert archive[Whole()] == archive[7] == pickle.loads(pickle.dumps(archive))[-2]
    with pytest.raises(TypeError):
        archive[1.0]
    rest = iter(archive)
    next(rest)
    archive.close()
    with pytest.raises(ValueError, match="the archive is closed"):
        next(rest)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ipafuzz.UsageError, match="regular file"):
        ipafuzz.Archive(tmp_path / "pipe")


def test_quantified():
    names = ipafuzz.names()
    assert "blocksqbf" in names["qbf families"] and "published" in names["qbf profiles"] and names["qbf schedules"]
    trace = ipafuzz.generate(family="qbfuzz-tiny", model="qbf", seed=3)
    assert trace.model == "qbf" and not ipafuzz.replay(trace, "ref").findings
    assert any(ipafuzz.replay(t, "ref:defect=reduces-outer").findings
               for t in ipafuzz.generate_many("tiny", model="qbf", count=500))
    row = ipafuzz.stats("blocksqbf", count=5)
    assert row["universal_variables_mean"] == 10 and row["literals"] == 5 * row["clauses_min"] * 5 == 4000
    formula = "p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n"
    trace = ipafuzz.Trace.from_formula(formula, format="qdimacs")
    assert trace.calls[0] == "forall 1 0" and formula in ipafuzz.export(trace, "qdimacs")
    with pytest.raises(ipafuzz.ParseError) as wrong:
        ipafuzz.Trace.from_formula("p cnf 1 0\ne 1 1 0\n", format="qdimacs")
    assert (wrong.value.line, wrong.value.column) == (2, 5)
