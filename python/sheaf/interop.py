"""Converts streams of a minibatch for NumPy, SciPy and torch. Calls import it on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ._sheaf import DenseBatch, SparseBatch
from .errors import ConfigError

if TYPE_CHECKING:
    import scipy.sparse
    import torch


def _offsets(batch: DenseBatch | SparseBatch, what: str) -> NDArray[np.int64]:
    if batch.sequence_offsets is None:
        raise ConfigError(f'{what}: it is the packing "ragged" that has samples back to back')
    return batch.sequence_offsets


def cu_seqlens(batch: DenseBatch | SparseBatch) -> NDArray[np.int32]:
    """Return where each sequence begins, and the end, in 32 bits."""
    return _offsets(batch, "cu_seqlens").astype(np.int32)


def dense_to_numpy(batch: DenseBatch, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
    """Return the values in the form that NumPy asks for."""
    if copy:
        return np.array(batch.values, dtype=dtype)
    if copy is None:
        return np.asarray(batch.values, dtype=dtype)
    if dtype is not None and np.dtype(dtype) != batch.values.dtype:
        raise ValueError(f"values of {batch.values.dtype} are not had as {dtype} without a copy")
    return batch.values


def sparse_to_numpy(batch: SparseBatch, dtype: Any = None, copy: bool | None = None) -> NoReturn:
    """Raise TypeError, because NumPy would make an array of one object."""
    raise TypeError(
        "a sparse stream is no array: take to_scipy().toarray() for a dense one, or its "
        "data, indices and indptr"
    )


def dense_to_dlpack(batch: DenseBatch, **options: Any) -> Any:
    """Return the values as a DLPack capsule."""
    if batch.dtype != "bfloat16":
        return batch.values.__dlpack__(**options)
    if options.get("copy"):
        raise BufferError("values of bfloat16 are handed out as they are, not copied")
    return batch._bfloat16  # type: ignore[attr-defined]  # a capsule, which stubs do not have


def _tensor(batch: DenseBatch | SparseBatch, values: NDArray[Any]) -> torch.Tensor:
    """Return values as a tensor of the same memory."""
    import torch

    tensor = torch.from_numpy(values)
    return tensor.view(torch.bfloat16) if batch.dtype == "bfloat16" else tensor


def dense_to_torch(batch: DenseBatch) -> torch.Tensor:
    """Return the values as a tensor of the same memory."""
    return _tensor(batch, batch.values)


def dense_to_nested(batch: DenseBatch) -> torch.Tensor:
    """Return ragged values as a jagged nested tensor of the same memory."""
    import torch

    if batch.extents is not None:
        raise ConfigError("to_nested: the shape of the samples varies: extents has each of them")
    offsets = torch.from_numpy(_offsets(batch, "to_nested"))
    return torch.nested.nested_tensor_from_jagged(_tensor(batch, batch.values), offsets)


def _rows(batch: SparseBatch) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return offsets and indices in one type, for torch and SciPy: that of indices, if possible."""
    kind = batch.indices.dtype
    if len(batch.data) > np.iinfo(kind).max:
        kind = batch.indptr.dtype
    return batch.indptr.astype(kind, copy=False), batch.indices.astype(kind, copy=False)


def sparse_to_scipy(batch: SparseBatch) -> scipy.sparse.csr_array:
    """Return rows as a sparse array of SciPy."""
    if batch.dtype == "bfloat16":
        raise ConfigError("to_scipy: SciPy has no bfloat16; data has the bits, to_torch() numbers")
    import scipy.sparse

    offsets, indices = _rows(batch)
    return scipy.sparse.csr_array((batch.data, indices, offsets), shape=batch.shape)


def sparse_to_torch(batch: SparseBatch) -> torch.Tensor:
    """Return rows as a sparse CSR tensor."""
    import torch

    offsets, indices = (torch.from_numpy(array) for array in _rows(batch))
    values = _tensor(batch, batch.data)
    return torch.sparse_csr_tensor(offsets, indices, values, batch.shape, check_invariants=False)


def sparse_to_bags(batch: SparseBatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return rows as bags of weighted indices."""
    import torch

    offsets, indices = (torch.from_numpy(array) for array in _rows(batch))
    return indices, offsets, _tensor(batch, batch.data)
