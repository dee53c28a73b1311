"""Names and paths, which are bytes: in Python, each byte that is not UTF-8 is a lone surrogate.

Python encodes its own file names in this way, so ``os.fsencode`` returns the bytes of a name.
"""

from __future__ import annotations

import os

from ..errors import ConfigError

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def path_text(path: Path) -> str:
    """Return a path, given as a text or as bytes, as a text that encodes its bytes.

    Raises ConfigError if no file can have that name.
    """
    text = os.fsdecode(path)
    if "\0" in text:
        raise ConfigError(f"a path has no NUL character: got {text!r}")
    return encodable("a path", text)


def encodable(what: str, text: str) -> str:
    """Return the text; ConfigError if it has surrogates that do not encode a byte."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        bounds = "of the surrogates only U+DC80 to U+DCFF, which stand for bytes"
        raise ConfigError(f"{what} has {bounds}: got {text!r}") from None
    return text
