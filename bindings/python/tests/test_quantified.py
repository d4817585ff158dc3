"""The model qbf: traces, generators, targets, reduction, campaigns."""
import os

import pytest

import ipafuzz

DEPQBF = "build/adapters/depqbf.so"
FRAMES = """ipafuzz 2 qbf
exists 1 2 0
forall 3 0
exists 4 0
clause 1 3 4 0
push
clause -1 -4 3 0
assume 1
solve want 10
core
model
pop
solve want 10
"""
GROUPS = """ipafuzz 2 qbf
exists 1 0
open 1
clause 1 0
clause -1 0
close 1
solve want 20
deactivate 1
solve want 10
activate 1
delete 1
solve want 10
"""


def test_text_and_binary(tmp_path):
    for text in (FRAMES, GROUPS):
        trace = ipafuzz.Trace(text)
        assert trace.model == "qbf" and ipafuzz.Trace.from_bytes(bytes(trace)) == trace
        trace.save(tmp_path / "q.trace")
        assert ipafuzz.Trace.read(tmp_path / "q.trace") == trace


@pytest.mark.parametrize("text, line, column", [
    ("exists 1 0\nforall 2 1 0\n", 3, 10),
    ("clause 1 0\nexists 1 0\n", 3, 8),
    ("open 1\nclose 1\nclose 1\n", 4, 7),
    ("pop\n", 2, 1),
])
def test_bad_prefixes_and_groups(text, line, column):
    with pytest.raises(ipafuzz.ParseError) as wrong:
        ipafuzz.Trace("ipafuzz 2 qbf\n" + text)
    assert (wrong.value.line, wrong.value.column) == (line, column)


def test_a_family_of_another_model():
    with pytest.raises(ipafuzz.UsageError, match="blocksqbf makes quantified formulas: choose the model qbf"):
        ipafuzz.generate(family="blocksqbf")
    assert ipafuzz.generate("blocksqbf", model="qbf").model == "qbf"


@pytest.mark.parametrize("target", ["ref", DEPQBF])
def test_frames_and_groups(target):
    if not target.startswith("ref") and not os.path.exists(target):
        pytest.skip("make adapters")
    frames = ipafuzz.replay(FRAMES, target)
    assert not frames.findings and not frames.mismatches and frames.answers[7] == 10 and frames.answers[-1] == 10
    groups = ipafuzz.replay(GROUPS, target)
    assert [a for a in groups.answers if a in (10, 20)] == [20, 10, 10] and not groups.findings


@pytest.mark.parametrize("defect, profile, fault, program", [
    ("pop-keeps-clause", "frames", "2.5", "qbf_pop"),
    ("deactivated-counts", "groups", "2.5", "qbf_deactivate_group"),
    ("dependency-forgotten", "qbfuzz-tiny", "5.2", "qbf_val"),
])
def test_reduction_and_export(defect, profile, fault, program):
    target = f"ref:defect={defect}"
    with ipafuzz.Target(target) as opened:
        for trace in ipafuzz.generate_many(profile, model="qbf", count=2000, seed=5):
            found = [f for f in opened.replay(trace).findings if f.fault == fault]
            if found:
                break
    small = ipafuzz.minimize(trace, target, key=found[0].key)
    assert small.is_minimal and len(small) < len(trace) and small.key == found[0].key
    assert ipafuzz.replay(small, target).findings[0].key == small.key
    assert not ipafuzz.replay(small, "ref").findings
    assert program in ipafuzz.export_c(small)
    with pytest.raises(ipafuzz.UsageError, match="no quantifiers"):
        ipafuzz.export(small, "python")


def test_a_campaign(tmp_path):
    heard = []
    with ipafuzz.Campaign(tmp_path / "out", targets=["ref:defect=pop-keeps-clause"], model="qbf", traces=400, seed=3,
                          workers=1, on_finding=heard.append) as campaign:
        summary = campaign.run()
    assert summary.faults and {f.key for f in heard} == {f.key for f in summary.findings}
    found = summary.findings[0]
    assert found.trace.model == "qbf" and "qbf_init" in found.program
    with ipafuzz.Archive(tmp_path / "out/archive") as archive:
        assert found.trace.calls in [t.calls for t in archive]


def test_a_target_without_free_variables(tmp_path):
    strict = '[targets.strict]\npath = "ref"\npolicies = { free-variable = "rejected" }\n'
    (tmp_path / "targets.toml").write_text(strict)
    text = "ipafuzz 2 qbf\nexists 1 0\nclause 1 -3 0\nsolve\n"
    with ipafuzz.Target("strict", targets_file=tmp_path / "targets.toml") as target:
        for refused in (lambda: target.replay(text), lambda: ipafuzz.minimize(text, target)):
            with pytest.raises(ipafuzz.Error, match="variable 3 is free, and the target refuses free variables"):
                refused()
