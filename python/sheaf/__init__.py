"""sheaf loads training data made of sequences: files in, minibatches of NumPy arrays out."""

from importlib.metadata import version

from ._sheaf import DenseBatch, Minibatch, SparseBatch
from .errors import ConfigError, DataError, Diagnostic, Error, InternalError, IoError
from .reader import Reader
from .streams import Stream

__all__ = [
    "ConfigError",
    "DataError",
    "DenseBatch",
    "Diagnostic",
    "Error",
    "InternalError",
    "IoError",
    "Minibatch",
    "Reader",
    "SparseBatch",
    "Stream",
    "__version__",
]

__version__ = version("sheaf")
