"""Tables in memory."""

from __future__ import annotations

from typing import Any

from .. import _sheaf
from .._user.source import ProgramData


class TableInMemory(ProgramData):
    """All batches of an object with ``__arrow_c_stream__``, without a copy or a change."""

    def __init__(self, source: Any, name: str = "", fingerprint: str = "") -> None:
        self._source = source
        self._name = name or type(source).__name__
        self._fingerprint = fingerprint

    @property
    def tells_content(self) -> bool:
        """Whether the fingerprint changes with the values."""
        return bool(self._fingerprint)

    def __repr__(self) -> str:
        return f"<sheaf: the rows of a {self._name}>"

    def give(
        self,
        plan: _sheaf.Plan,
        name: str,
        streams: list[_sheaf.StreamOptions],
        options: _sheaf.FormatOptions,
        threads: int,  # nothing of Python runs when rows are read
    ) -> None:
        """Give a plan the table under the name of its spec, ``name``."""
        capsule = self._source.__arrow_c_stream__()
        _sheaf.give_stream(plan, name, capsule, self._name, self._fingerprint, streams, options)
