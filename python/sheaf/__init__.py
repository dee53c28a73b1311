"""sheaf loads training data made of sequences: files in, minibatches of NumPy arrays out."""

from collections.abc import Mapping

from ._options.format_list import Format, FormatOption, formats
from ._options.kaldi_dir import KaldiDir, kaldi_dir
from ._options.mixture import Mixture, mix
from ._options.streams import FoundStreams, Stream
from ._options.transforms import (
    Transform,
    TransformOption,
    TransformType,
    transform,
    transforms,
)
from ._sheaf import DenseBatch, Minibatch, SparseBatch
from ._sheaf import version as __version__
from ._sound import set_sound_library
from ._tables.hugging_face import from_hugging_face
from ._tables.table import Table
from ._user.deserializer import Bad, Chunk, Deserializer
from ._user.functions import Function, map
from ._write.conversion import Conversion, WrittenFile, convert
from ._write.merging import merge, merge_reports
from ._write.writer import Writer
from .arrow import ArrowStream, from_arrow, to_arrow
from .checking import CheckReport, LengthDifference, check
from .data import ChunkInfo, Data, infer, open
from .errors import ConfigError, DataError, Diagnostic, Error, InternalError, IoError
from .generators import generator
from .indexing import IndexReport, index
from .reader import Reader
from .reporting import Finding, Report, report
from .statistics import order, stat
from .workers import Worker, worker

__all__ = [
    "ArrowStream",
    "Bad",
    "CheckReport",
    "Chunk",
    "ChunkInfo",
    "ConfigError",
    "Conversion",
    "Data",
    "DataError",
    "DenseBatch",
    "Deserializer",
    "Diagnostic",
    "Error",
    "Finding",
    "Format",
    "FormatOption",
    "FoundStreams",
    "Function",
    "IndexReport",
    "InternalError",
    "IoError",
    "KaldiDir",
    "LengthDifference",
    "Minibatch",
    "Mixture",
    "Reader",
    "Report",
    "SparseBatch",
    "Stream",
    "Table",
    "Transform",
    "TransformOption",
    "TransformType",
    "Worker",
    "Writer",
    "WrittenFile",
    "__version__",
    "check",
    "convert",
    "formats",
    "from_arrow",
    "from_hugging_face",
    "generator",
    "index",
    "infer",
    "kaldi_dir",
    "map",
    "merge",
    "merge_reports",
    "mix",
    "open",
    "order",
    "report",
    "set_sound_library",
    "stat",
    "to_arrow",
    "transform",
    "transforms",
    "worker",
]

Mapping.register(Minibatch)
