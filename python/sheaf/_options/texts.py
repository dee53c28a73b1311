"""Names and paths, which are bytes: in Python each byte that is no UTF-8 is a lone surrogate.

They are as Python's own file names, so ``os.fsencode`` gives the bytes of each of them.
"""

from __future__ import annotations

import os

from ..errors import ConfigError

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def path_text(path: Path) -> str:
    """Give a path as a text that stands for its bytes, whichever way it was said.

    Raises ConfigError where there can be no file of that name.
    """
    text = os.fsdecode(path)
    if "\0" in text:
        raise ConfigError(f"a path has no NUL character: got {text!r}")
    return encodable("a path", text)


def encodable(what: str, text: str) -> str:
    """Give the text back; ConfigError where it has surrogates that stand for no byte."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        bounds = "of the surrogates only U+DC80 to U+DCFF, which stand for bytes"
        raise ConfigError(f"{what} has {bounds}: got {text!r}") from None
    return text
