"""Targets are kept to their own files, and allocations fail on request."""
import pathlib
import subprocess

import pytest

import ipafuzz
from ipafuzz import border

HOSTILE = pathlib.Path(__file__).parents[3] / "cexternal" / "hostile"
SOLVE = ipafuzz.Trace("ipafuzz 2 ipasir\nadd 1 2 0\nsolve\n")


@pytest.fixture
def intruder(tmp_path, monkeypatch):
    """A library that creates a file in a directory of the user."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOSTILE_HOME", str(home))
    library = tmp_path / "libhostile-creates-file.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-w", "-o", library, *HOSTILE.glob("*.c"), "-lm",
                    "-lpthread"], check=True)
    return library, home


def test_contained_by_default(intruder):
    library, home = intruder
    with ipafuzz.Target(library) as target:
        assert [f.fault for f in ipafuzz.replay(SOLVE, target).findings] == ["5.9"]
    assert list(home.iterdir()) == []


def test_uncontained(intruder):
    library, home = intruder
    with ipafuzz.Target(library, contain=False) as target:
        assert ipafuzz.replay(SOLVE, target).findings == ()
    assert [file.name for file in home.iterdir()] == ["left-behind"]


def test_failing_allocations():
    assert "ipafuzz.fail-allocation" in str(ipafuzz.generate("tiny", fail_allocations=True))
    with ipafuzz.Campaign(None, [f"pipe:{border.PROGRAM} serve --target ref"], traces=1,
                          fail_allocations=True) as campaign:
        with pytest.raises(ValueError, match="allocations"):
            campaign.run()
    with ipafuzz.Campaign(None, ["ref:defect=unchecked-allocation"], profiles=["tiny"], seed=1, traces=2000, findings=1,
                          fail_allocations=True) as campaign:
        assert [found.fault for found in campaign.run().findings] == ["5.8"]


def test_solvers_in_threads(tmp_path):
    assert any("ipafuzz.threads" in str(trace) for trace in ipafuzz.generate_many("tiny", count=20, threads=True))
    with ipafuzz.Campaign(None, [f"pipe:{border.PROGRAM} serve --target ref"], traces=1, threads=True) as campaign:
        with pytest.raises(ValueError, match="threads"):
            campaign.run()
    with ipafuzz.Campaign(tmp_path / "out", ["ref"], profiles=["tiny"], seed=1, traces=20, threads=True,
                          keep_traces=True) as campaign:
        assert campaign.run().findings == ()
    with ipafuzz.Archive(tmp_path / "out/archive") as archive:
        assert any("ipafuzz.threads" in str(trace) for trace in archive)
