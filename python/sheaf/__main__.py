"""The command: ``python -m sheaf``, and the installed program ``sheaf``."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Become the program that comes with the package."""
    program = pathlib.Path(__file__).with_name("bin") / "sheaf"
    os.execv(program, ["sheaf", *sys.argv[1:]])


if __name__ == "__main__":
    main()
