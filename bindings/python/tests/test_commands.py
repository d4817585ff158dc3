"""The command line of the package."""
import pathlib
import subprocess
import sys

from ipafuzz import border

CRASHING = "ipafuzz 1 ipamir\nhard 1 0\nhard 2 3 0\nsolve\n"


def test_the_module_is_the_program():
    script = pathlib.Path(sys.executable).parent / "ipafuzz"
    for arguments, code in ((["version"], 0), (["nothing"], 2),
                            (["replay", "-q", "--target", "ref:defect=no-soft-table", "-"], 1),
                            (["gen", "--seed", "7", "--family", "wcnfuzz-tiny"], 0)):
        said = [subprocess.run([*program, *arguments], input=CRASHING, capture_output=True, timeout=300, text=True)
                for program in ([border.PROGRAM], [sys.executable, "-m", "ipafuzz"], [script])]
        for other in said:
            assert (other.returncode, other.stdout, other.stderr) == (code, said[0].stdout, said[0].stderr)
