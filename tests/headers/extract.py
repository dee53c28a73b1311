#!/usr/bin/env python3
"""Writes the example of a public header as a C++ function.

    extract.py HEADER OUT

The example is the indented part of the comment before `#pragma once`. It becomes the body of
`void NAME_example()`, in a source that includes the header, twice, and then <iostream>. A header
that does not compile alone fails the build, as does a header without an example, and an example
that needs headers which the example does not include.
"""

import sys
from pathlib import Path


def example_of(text: str) -> list[str]:
    head = text.split("#pragma once", 1)[0]
    comment = [line.removeprefix("///") for line in head.splitlines() if line.startswith("///")]
    return [line.removeprefix("     ") for line in comment if line.startswith("     ")]


def main(arguments: list[str]) -> int:
    header = Path(arguments[0])
    example = example_of(header.read_text(encoding="utf-8"))
    if not example:
        print(f"{header}:1: the comment before #pragma once has no example", file=sys.stderr)
        return 1
    includes = [line for line in example if line.startswith("#include")]
    body = "".join(f"  {line}\n" for line in example if line not in includes)
    own = f'#include "sheaf/{header.name}"'
    source = (
        "\n".join([own, own, "", "#include <iostream>", "", *includes, ""]) + "\n"
        f"void {header.stem}_example();\n\n"
        f"void {header.stem}_example() {{\n{body}}}\n"
    )
    Path(arguments[1]).write_text(source, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
