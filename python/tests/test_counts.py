"""A reader knows counts, keys and places of epochs before it reads any data."""

from __future__ import annotations

import time

import pytest

import sheaf

ROWS = 400_000
TAIL = " |x" + 16 * " 25" + "\n"  # some 23 MB together: smaller files are not worth the threads

READERS = {
    "sequence_count": lambda reader: reader.sequence_count,
    "len": len,
    "repr": repr,
    "set_epoch": lambda reader: reader.set_epoch(3),
}
DATA = {
    "len": len,
    "keys": lambda data: data.keys,
    "chunks": lambda data: data.chunks,
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("counts") / "rows.ctf"
    path.write_text(TAIL.join(map(str, range(ROWS))) + TAIL)
    return path


def share_of_other_threads(ask):
    """Return the share of the work of ``answer`` that other threads than this one do."""
    all_before, own_before = time.process_time(), time.thread_time()
    ask()
    everything = time.process_time() - all_before
    return 1 - (time.thread_time() - own_before) / everything


@pytest.mark.parametrize("ask", READERS.values(), ids=READERS)
@pytest.mark.parametrize("order", ["keyed", "cntk", "file"])
def test_all_threads_index_for_a_reader(rows, ask, order):
    size = {"epoch_size": 1000} if ask is READERS["set_epoch"] else {}
    with sheaf.Reader(
        rows, ["x:dense:16"], order=order, batch_size=1000, num_threads=4, index="off", **size
    ) as reader:
        assert share_of_other_threads(lambda: ask(reader)) > 0.1
        assert reader.sequence_count == ROWS


@pytest.mark.parametrize("ask", DATA.values(), ids=DATA)
def test_all_threads_index_for_open_data(rows, ask):
    with sheaf.open(rows, ["x:dense:16"], num_threads=4, index="off") as data:
        assert share_of_other_threads(lambda: ask(data)) > 0.1
        assert len(data) == ROWS


def test_an_epoch_beyond_the_largest_sample_is_refused(write_ctf):
    path = write_ctf("0 |x 1\n1 |x 2\n")
    reader = sheaf.Reader(path, ["x:dense:1"], epoch_size=2**62 - 1)
    with pytest.raises(sheaf.ConfigError, match="epoch 3 lies too far"):
        reader.set_epoch(3)


CONFIG = """\
reader = [ readerType = CNTKTextFormatReader ; file = "{path}" ; randomize = false
  maxErrors = {errors} ; input = [ x = [ dim = 1 ; format = dense ] ] ]
"""


def test_tolerances_of_the_section_and_the_keyword_add_up(write_ctf):
    path = write_ctf("0 |x 1\n1 |x a\n2 |x b\n3 |x c\n4 |x 2\n")

    def delivered(errors, **options):
        config = path.with_name("c.cntk")
        config.write_text(CONFIG.format(path=path, errors=errors))
        reader = sheaf.Reader(config=config, section="reader", batch_size=9, **options)
        return sum(len(minibatch.sequence_keys) for minibatch in reader)

    assert delivered(-1) == 2
    assert delivered(-1, max_errors=1) == 2
    assert delivered(-1, max_errors=2**63 - 1) == 2
    assert delivered(2, max_errors=1) == 2
    with pytest.raises(sheaf.DataError):
        delivered(1, max_errors=1)
    with pytest.raises(sheaf.ConfigError, match=r"max_errors must be .*: got -1"):
        delivered(3, max_errors=-1)
