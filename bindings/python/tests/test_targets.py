"""Replaying, minimizing and exporting."""
import json
import subprocess
import types

import pytest

import ipafuzz
from ipafuzz import border

WRONG = ipafuzz.Trace("ipafuzz 1 ipamir\nhard 1 0\nhard 2 3 0\nsolve\nmodel\nval -1\nval 2\n")
CRASHING = ipafuzz.Trace("ipafuzz 1 ipamir\nhard 1 0\nhard 2 3 0\nsolve\n")


def test_healthy():
    result = ipafuzz.replay("ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsoft 2 5\nsignature\nsolve = 30\nobj\nval -1\n"
                            "model\n", "ref")
    assert result.findings == () and result.end == "finished" and result.end_call is None
    assert result.answers[4:] == [30, 3, 1, [1, -2]]
    assert isinstance(result.answers[3], str) and result.answers[:3] == [None, None, None]
    assert "solve = 30" in result.log


def test_large_numbers():
    result = ipafuzz.replay(f"ipafuzz 1 ipamir\nsoft 1 {2**64 - 1}\nhard 1 0\nsolve\nobj\n", "ref")
    assert result.answers[-1] == 2**64 - 1


def test_expectations():
    result = ipafuzz.replay("ipafuzz 1 ipamir\nhard 1 0\nsolve = 20\n", "ref")
    assert result.mismatches and not result.findings


def test_a_program_for_depqbf():
    text = "ipafuzz 2 qbf\nexists 1 0\nforall 2 0\nclause 1 2 0\nclause 1 -2 0\nsolve\n"
    assert "qdpll_create" in ipafuzz.export(text, "qdpll")


def test_a_wrong_answer():
    result = ipafuzz.replay(WRONG, target="ref:defect=17")
    assert result.findings
    f = result.findings[0]
    assert f.key.startswith("ref:defect=17 5.2") and f.fault == "5.2" and f.call > 0 and f.key in str(f)
    small = ipafuzz.minimize(WRONG, target="ref:defect=17", key=f.key)
    assert isinstance(small, ipafuzz.Reduced) and small.key == f.key and small.is_minimal and small.failed == small.runs
    assert len(small) < len(WRONG) == small.calls_before
    assert ipafuzz.replay(small, "ref:defect=17").findings[0].key == f.key
    program = ipafuzz.export_c(small)
    assert "ipamir_init" in program and "ref:defect=17" in program
    for language in ipafuzz.names()["languages"]:
        if language != "qdpll":
            assert ipafuzz.export(small, language)
    with pytest.raises(ipafuzz.UsageError, match="DepQBF solves traces of model qbf"):
        ipafuzz.export(small, "qdpll")
    assert ipafuzz.export(small, "c", target="ref", everything=True)
    with pytest.raises(ipafuzz.TargetError):
        ipafuzz.export(small, "c", target="nothing")


def test_what_does_not_fail():
    with pytest.raises(ipafuzz.NotFailing) as caught:
        ipafuzz.minimize(WRONG, "ref:defect=17", key="ref:defect=17 1.5 nothing")
    assert caught.value.runs > 0 and caught.value.seen
    for wrong in ({"seconds": -1}, {"workers": -1}, {"key": "ref:defect=17"}):
        with pytest.raises(ValueError):
            ipafuzz.minimize(WRONG, "ref:defect=17", **wrong)


def test_a_crash_is_a_finding():
    result = ipafuzz.replay(CRASHING, "ref:defect=no-soft-table")
    assert result.findings[0].fault == "1.5" and result.signal == 11
    assert result.end != "finished" and result.end_call == 3
    assert result.answers[2] is None
    said = subprocess.run([border.PROGRAM, "replay", "--json", "--target", "ref:defect=no-soft-table", "-"],
                          input=str(CRASHING), capture_output=True, timeout=300, text=True)
    assert f'"key":"{result.findings[0].key}"' in said.stdout
    for way in ("fork", "persistent"):
        with ipafuzz.Target("ref:defect=no-soft-table", way=way) as target:
            for _ in range(3):
                assert target.replay(CRASHING).findings[0] == result.findings[0]


def test_a_hang_is_a_finding():
    result = ipafuzz.replay("ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 1\nsoft -1 1\nsolve\n",
                            "ref:defect=complementary-loop", cpu=0.2)
    assert result.findings[0].fault == "3.1"


@pytest.mark.parametrize("spec", ["nothing", "/nothing.so", "/dev/null", "ref:defect=nothing", "ref:nothing",
                                  "pipe:/nothing"])
def test_what_is_no_target(spec):
    with pytest.raises(ipafuzz.TargetError) as caught:
        ipafuzz.replay(CRASHING, spec)
    assert caught.value.target == spec


def test_options_of_a_target():
    for wrong in ({"way": "inproc"}, {"way": "nothing"}, {"memory": -1}, {"targets_file": "/nothing"}):
        with pytest.raises(ipafuzz.UsageError):
            ipafuzz.replay(CRASHING, "ref", **wrong)
    target = ipafuzz.Target("ref")
    with pytest.raises(TypeError):
        ipafuzz.replay(CRASHING, target, cpu=1)
    assert ipafuzz.replay("ipafuzz 1 ipasir\nadd 1 0\nsolve\n", target).answers[-1] == 10
    assert ipafuzz.replay(CRASHING, target).answers[-1] == 30
    target.close()
    target.close()
    with pytest.raises(ValueError):
        target.replay(CRASHING)
    assert "closed" in repr(target)


def test_a_bug_of_ipafuzz_is_an_exception(monkeypatch):
    """The Go tests check that a panic becomes this answer."""
    answer = json.dumps({"error": {"kind": "internal", "message": "ipafuzz has a bug: x", "stack": "goroutine 1"}})
    border._load()
    with monkeypatch.context() as patch:
        patch.setattr(border, "_module", types.SimpleNamespace(
            bindings_Call=lambda *_: answer, bindings_Start=lambda *_: 1, bindings_Wait=lambda *_: answer))
        for call in (border.call, border.run):
            with pytest.raises(ipafuzz.InternalError, match="ipafuzz has a bug") as caught:
                call("parse")
            assert caught.value.stack == "goroutine 1"
    assert ipafuzz.generate("tiny")


def test_the_environment_of_targets(monkeypatch, tmp_path):
    """What is set after ipafuzz was loaded counts too."""
    runner = tmp_path / "runner"
    runner.write_text('#!/bin/sh\necho "$SEEN" > "$0.seen"\n')
    runner.chmod(0o755)
    for value in ("one", "two"):
        monkeypatch.setenv("SEEN", value)
        with pytest.raises(ipafuzz.TargetError):
            ipafuzz.Target(f"pipe:{runner}", contain=False).replay(CRASHING)
        assert (tmp_path / "runner.seen").read_text() == value + "\n"
    monkeypatch.setenv("SEEN", "\udcff")  # a byte that is not UTF-8
    with pytest.raises(ipafuzz.TargetError):
        ipafuzz.Target(f"pipe:{runner}", contain=False).replay(CRASHING)
    monkeypatch.delenv("SEEN")
    with pytest.raises(ipafuzz.TargetError):
        ipafuzz.Target(f"pipe:{runner}", contain=False).replay(CRASHING)
    assert (tmp_path / "runner.seen").read_text() == "\n"
