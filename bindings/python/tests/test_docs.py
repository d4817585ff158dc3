"""The code blocks of docs/python.md, executed in their order."""
import pathlib
import re

import ipafuzz

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/python.md").read_text()


def test_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
    assert len(blocks) >= 7
    for block in blocks:
        line = PAGE.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block[1], "docs/python.md", "exec"), names)
    assert "ipamir_init" in capsys.readouterr().out


def test_everything_has_a_docstring():
    for name in ipafuzz.__all__:
        assert getattr(ipafuzz, name).__doc__, name
        assert name in dir(ipafuzz)
    for kind in (ipafuzz.Trace, ipafuzz.Target, ipafuzz.Archive, ipafuzz.Campaign):
        for name, member in vars(kind).items():
            if not name.startswith("_") and callable(member):
                assert member.__doc__, f"{kind.__name__}.{name}"
