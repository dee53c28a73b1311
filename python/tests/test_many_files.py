"""More files than the system lets a process open."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

import sheaf

COUNT = 1000


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("few_descriptors")
@pytest.mark.parametrize("order", ["file", "keyed"])
def test_a_thousand_files_are_read(tmp_path: Path, order: str) -> None:
    for number in range(COUNT):
        (tmp_path / f"{number:04}.ctf").write_text(f"{number} |x {number}\n")
    reader = sheaf.Reader(str(tmp_path / "*.ctf"), batch_size=64, order=order)
    values = [int(value) for minibatch in reader for value in minibatch["x"].values.ravel()]
    assert sorted(values) == list(range(COUNT))
