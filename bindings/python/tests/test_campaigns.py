"""Campaigns."""
import threading

import pytest

import ipafuzz

TARGET = "ref:defect=17"


def test_a_campaign(tmp_path):
    heard, progress = [], []
    with ipafuzz.Campaign(tmp_path / "out", targets=[TARGET], profiles=["tiny", "wcnfuzz-tiny"], traces=300, seed=1,
                          workers=1, on_finding=heard.append, on_progress=progress.append) as campaign:
        summary = campaign.run()
    assert summary.seed == 1 and summary.stats["traces"] >= 300 and len(summary.stats["cells"]) == 2
    assert {f.key for f in heard} == {f.key for f in summary.findings} and heard
    assert all(f.group == fault.name for fault in summary.faults for f in fault.findings)
    assert sum(len(fault.findings) for fault in summary.faults) == len(summary.findings)
    assert all(fault.sentence and fault.target == TARGET for fault in summary.faults)
    f = summary.findings[0]
    assert f.key.startswith(TARGET + " 5.2") and f.target == TARGET and f.hits > 0
    assert f.directory.startswith(str(tmp_path)) and f.command.endswith(f"--target {TARGET}")
    assert "ipamir_init" in f.program
    assert ipafuzz.replay(f.trace, TARGET).findings[0].key == f.key
    assert len(f.trace) <= len(f.original)
    assert f.trace.calls in [t.calls for t in ipafuzz.read(f.directory)]
    assert f.trace.calls in [t.calls for t in ipafuzz.Archive(tmp_path / "out/archive")]
    with pytest.raises(ValueError):
        campaign.run()
    again = ipafuzz.Campaign(tmp_path / "out", targets=TARGET, traces=300, seed=1, workers=1).run()
    assert all(f.trace for f in again.findings)


def test_several_targets():
    summary = ipafuzz.Campaign(None, ["ref", TARGET], traces=2000, fair=True, seed=1, workers=1).run()
    assert {f.target for f in summary.findings} == {TARGET}
    assert all(f.directory is None for f in summary.findings)
    assert {cell["target"] for cell in summary.stats["cells"]} == {"ref", TARGET}


def test_a_crashing_target():
    summary = ipafuzz.Campaign(None, ["ref:defect=no-soft-table"], findings=1, seed=1, workers=1).run()
    assert summary.findings[0].fault == "1.5"


def test_stopped_before_it_runs():
    campaign = ipafuzz.Campaign(None, ["ref"], workers=1)
    campaign.stop()
    assert campaign.run().findings == ()


@pytest.mark.parametrize("wrong", [{"shard": 4, "of": 3, "seed": 1}, {"shard": 0, "of": 3, "seed": 1},
                                   {"shard": 1, "of": 3}, {"resume": True},
                                   {"keep_traces": True}, {"max_vars": -1}, {"cpu": -1}, {"seconds": float("nan")}])
def test_what_no_campaign_is(wrong):
    with pytest.raises(ipafuzz.UsageError):
        ipafuzz.Campaign(None, ["ref"], traces=1, workers=1, **wrong).run()


class Stop(Exception):
    pass


def fail(*ignored):
    raise Stop


@pytest.mark.parametrize("callback", ["on_finding", "on_progress"])
def test_exceptions_of_callbacks(callback):
    campaign = ipafuzz.Campaign(None, [TARGET], seed=1, workers=1, **{callback: fail})
    with pytest.raises(Stop):
        campaign.run()
    assert bool(campaign.findings) == (callback == "on_finding") or campaign.findings


def test_exceptions_of_the_callback_of_minimize():
    trace = ipafuzz.generate("tiny", seed=1, target=TARGET)
    seen = []
    small = ipafuzz.minimize(trace, TARGET, any_failure=True, on_progress=seen.append)
    if seen:
        with pytest.raises(Stop):
            ipafuzz.minimize(trace, TARGET, any_failure=True, on_progress=fail)
    assert len(small) <= len(trace)


def test_stopping():
    campaign = ipafuzz.Campaign(None, ["ref"], seed=1, workers=1)
    campaign._on_progress = lambda stats: stats["traces"] and campaign.stop()
    assert campaign.run().stats["traces"] > 0
    other = ipafuzz.Campaign(None, ["ref"], seed=1, workers=1)
    timer = threading.Timer(0.5, other.stop)
    timer.start()
    other.run()


def test_what_cannot_run(tmp_path):
    (tmp_path / "file").write_text("")
    for wrong, error in (({"targets": []}, ipafuzz.UsageError), ({"targets": ["nothing"]}, ipafuzz.TargetError),
                         ({"targets": ["ref"], "profiles": ["nothing"]}, ipafuzz.UsageError),
                         ({"targets": ["ref"], "way": "inproc"}, ipafuzz.UsageError),
                         ({"targets": ["ref"], "workers": -1}, ipafuzz.UsageError),
                         ({"targets": ["ref"], "seconds": -1}, ipafuzz.UsageError),
                         ({"targets": ["ref"], "against": ["nothing"]}, ipafuzz.TargetError),
                         ({"targets": ["ref"], "avoid": ["nothing"]}, ipafuzz.UsageError),
                         ({"targets": ["ref"], "out": tmp_path / "file" / "below"}, ipafuzz.Error)):
        with pytest.raises(error):
            ipafuzz.Campaign(**{"out": None, "traces": 1, **wrong}).run()
