"""Data sets of Hugging Face."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._user.source import ProgramData
from ..errors import ConfigError
from .in_memory import TableInMemory
from .table import Table

_BATCH_ROWS = 1000  # as `datasets` writes them


def from_hugging_face(dataset: Any) -> ProgramData:
    """Wrap a data set of Hugging Face for a Reader, which takes the result as its path.

        dataset = datasets.load_dataset("imdb", split="train")
        reader = sheaf.Reader(sheaf.from_hugging_face(dataset), order="keyed", batch_size=32)

    dataset  a ``datasets.Dataset``. sheaf uses its batches in place, mapped into memory.
             ``select``, ``shuffle``, ``sort`` and ``train_test_split`` leave an indices mapping,
             which sheaf follows. ``datasets`` then gathers each batch of 1,000 rows, which takes
             much longer: ``dataset.flatten_indices()`` copies the rows once. ``order="keyed"``
             shuffles without such a mapping

    docs/formats/arrow.md tells how columns become streams. sheaf does not apply a format of the
    data set (``set_format``) and transforms on access (``with_transform``). A state of a Reader
    belongs to data sets of one fingerprint.

    Raises ConfigError for a dictionary of splits, and for a stream of rows.
    """
    if isinstance(dataset, Mapping):
        splits = ", ".join(map(str, dataset))
        raise ConfigError(f"from_hugging_face takes one split: got a dictionary of {splits}")
    if not hasattr(dataset, "data") or not hasattr(dataset, "_fingerprint"):
        kind = type(dataset).__name__
        raise ConfigError(
            f"from_hugging_face takes a datasets.Dataset, whose rows have numbers: got {kind}"
        )
    if dataset._indices is not None:
        return _IndexedDataset(dataset)
    fingerprint = f"hugging-face:{dataset._fingerprint}"
    return TableInMemory(dataset.data.table, _name_of(dataset), fingerprint)


def _name_of(dataset: Any) -> str:
    return str(getattr(dataset.info, "dataset_name", None) or "Dataset")


class _IndexedDataset(Table):
    """Rows of a data set that an indices mapping selects."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset.with_format("arrow")
        self._told = f"hugging-face:{dataset._fingerprint}"
        self.schema = dataset.data.table.schema
        self._sheaf_selected: dict[tuple[str, ...], Any] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _sheaf_selected={})

    def batches(self) -> Iterable[int]:
        rows = len(self._dataset)
        return [min(_BATCH_ROWS, rows - first) for first in range(0, rows, _BATCH_ROWS)]

    def read(self, batch: int, columns: Sequence[str]) -> Any:
        names = tuple(columns)
        if names not in self._sheaf_selected:
            self._sheaf_selected[names] = self._dataset.select_columns(list(names))
        rows = self._sheaf_selected[names]
        first = batch * _BATCH_ROWS
        table = rows[first : first + _BATCH_ROWS]
        return table.combine_chunks().to_batches()[0]

    def fingerprint(self) -> str:
        return self._told
