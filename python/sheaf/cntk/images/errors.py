"""What can be wrong with one image."""

from __future__ import annotations


class UndecodableError(Exception):
    """The bytes of an image are none, which max_errors may tolerate."""
