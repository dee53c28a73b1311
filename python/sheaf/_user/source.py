"""Objects that a program gives a Reader in place of files."""

from __future__ import annotations


class ProgramData:
    """A Deserializer, or a Table."""

    def __getstate__(self) -> object:
        """Return the state of a copy, which gets threads of its own."""
        return {
            name: value for name, value in self.__dict__.items() if not name.startswith("_sheaf_")
        }


def is_data(value: object) -> bool:
    """Return whether a value represents data: a Deserializer, a Table, or an Arrow stream."""
    return isinstance(value, ProgramData) or hasattr(value, "__arrow_c_stream__")
