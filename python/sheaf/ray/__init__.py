"""Ray: data read, written, converted and checked by the tasks of a cluster.

A task takes a part of the data, which is a range of chunks. All machines, that of the program
included, must see the files under the same paths. Paths of files, of a spec, of a configuration and
of ``index_dir`` may be relative to the program. Paths inside of ``format_options``, ``transforms``,
a configuration or a spec given as a dictionary must be absolute, because tasks run in other
folders.
"""

from __future__ import annotations

try:
    import pyarrow  # noqa: F401 - the error below names a missing package
    import ray.data  # noqa: F401
except ImportError as error:
    raise ImportError(
        "sheaf.ray needs Ray Data and pyarrow: pip install 'sheaf-data[ray]'"
    ) from error

from .checking import check
from .conversion import convert
from .reading import SheafDatasource, read
from .writing import SheafDatasink, write

__all__ = ["SheafDatasink", "SheafDatasource", "check", "convert", "read", "write"]
