"""The command line: ``python -m ipafuzz`` is the program that the package ships."""
import os
import sys

from .border import PROGRAM


def main() -> None:
    """Becomes the program."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])


if __name__ == "__main__":
    main()
