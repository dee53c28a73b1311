"""sheaf.torch.packed_rows: rows of tokens in which each sequence is independent."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sheaf

torch = pytest.importorskip("torch")
import sheaf.torch  # noqa: E402

ROW = 8


class Documents(sheaf.Deserializer):
    """Documents of given lengths, whose token t of document d is 100 * d + t."""

    streams = ("input_ids:dense:1:dtype=int32",)

    def __init__(self, lengths, **more):
        self.lengths = lengths
        self.more = more
        self.streams = (*self.streams, *(f"{name}:dense:1:dtype=int64" for name in more))

    def chunks(self):
        return [sheaf.Chunk(samples=self.lengths)]

    def read(self, chunk):
        ids = [100 * d + t for d, length in enumerate(self.lengths) for t in range(length)]
        found = {"input_ids": torch.tensor(ids, dtype=torch.int32).reshape(-1, 1).numpy()}
        for name, change in self.more.items():
            found[name] = found["input_ids"].astype("int64") + change
        return found


def rows_of(lengths, source=None, **options):
    options = {"row_samples": ROW, "minibatch_samples": 10**6, "long": "split", **options}
    (minibatch,) = sheaf.Reader(source or Documents(lengths), packing="packed", **options)
    return sheaf.torch.packed_rows(minibatch)


def test_rows_have_positions_labels_and_bounds():
    found = rows_of([5, 2, 3], pad_values={"input_ids": -1})
    assert found["input_ids"].tolist() == [
        [0, 1, 2, 3, 4, 200, 201, 202],
        [100, 101, *[-1] * 6],
    ]
    assert found["position_ids"].tolist() == [[0, 1, 2, 3, 4, 0, 1, 2], [0, 1, 0, 1, 2, 3, 4, 5]]
    assert found["labels"].tolist() == [
        [-100, 1, 2, 3, 4, -100, 201, 202],
        [-100, 101, *[-100] * 6],
    ]
    assert found["cu_seq_lens_q"].tolist() == [0, 5, 8, 10, 16]
    assert found["cu_seq_lens_k"] is found["cu_seq_lens_q"]
    assert found["max_length_q"] == found["max_length_k"] == 6
    assert found["cu_seq_lens_q"].dtype == torch.int32
    assert {found[name].dtype for name in ("input_ids", "labels", "position_ids")} == {torch.int64}
    assert all(found[name].is_contiguous() for name in ("input_ids", "labels", "position_ids"))


@pytest.mark.parametrize(
    ("lengths", "bounds"),
    [
        ([ROW - 1], [0, 7, 8]),  # a gap of one token
        ([ROW], [0, 8]),  # no gap
        ([ROW + 1], [0, 8, 9, 16]),  # a piece of one token
        ([2 * ROW], [0, 8, 16]),
        ([1] * ROW, list(range(ROW + 1))),
    ],
)
def test_documents_are_split_at_the_length_of_a_row(lengths, bounds):
    found = rows_of(lengths)
    assert found["cu_seq_lens_q"].tolist() == bounds
    begins = [bound for bound in bounds[:-1]]
    positions = found["position_ids"].flatten()
    assert [i for i, position in enumerate(positions.tolist()) if position == 0] == begins
    predicted = (found["labels"] != -100).sum().item()
    pieces = sum(-(-length // ROW) for length in lengths)
    assert predicted == sum(lengths) - pieces


@pytest.mark.parametrize(
    ("lengths", "bounds"), [([ROW, 0], [0, 8]), ([4, 0, 4], [0, 4, 8]), ([0], [0])]
)
def test_documents_without_tokens_have_no_bounds(lengths, bounds):
    pa = pytest.importorskip("pyarrow")
    ids = pa.array([list(range(length)) for length in lengths], pa.list_(pa.int64()))
    found = rows_of(None, pa.table({"input_ids": ids}))
    assert found["cu_seq_lens_q"].tolist() == bounds
    assert (found["labels"] != -100).sum() == sum(max(length - 1, 0) for length in lengths)


def test_labels_of_the_data_are_used_and_attention_mask_is_left_out():
    found = rows_of([3, 2], Documents([3, 2], labels=7, attention_mask=0, segment=1))
    assert found["labels"].tolist() == [[-100, 8, 9, -100, 108, -100, -100, -100]]
    assert found["segment"].tolist() == [[1, 2, 3, 101, 102, 0, 0, 0]]
    assert "attention_mask" not in found


def test_rows_without_input_ids_have_no_labels(write_ctf):
    source = write_ctf("0 |x 1\n0 |x 2\n1 |x 3\n")
    found = rows_of(None, source, row_samples=4)
    assert found["x"].tolist() == [[1, 2, 3, 0]]
    assert found["x"].dtype == torch.float32
    assert "labels" not in found


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "int64"])
def test_whole_numbers_are_int64(write_ctf, dtype):
    source = write_ctf("0 |input_ids 200\n0 |input_ids 7\n")
    found = rows_of(None, source, row_samples=2, dtype=dtype)
    assert found["input_ids"].dtype == torch.int64
    assert found["input_ids"].tolist() == [[200, 7]]


def test_without_row_samples_rows_have_the_longest_length():
    found = rows_of([3, 1, 2], row_samples=None, long=None)
    assert found["input_ids"].shape == (2, 3)


def test_minibatches_without_rows_are_refused(write_ctf):
    def refused(text, streams=None, **options):
        options = {"packing": "packed", "batch_size": 9, **options}
        (minibatch,) = sheaf.Reader(write_ctf(text), streams, **options)
        with pytest.raises(sheaf.ConfigError, match="packed_rows: ") as error:
            sheaf.torch.packed_rows(minibatch)
        return str(error.value)

    assert 'takes the packing "packed": got "ragged"' in refused("|a 1\n", packing="ragged")
    assert '"a" has other samples' in refused("|a 1 2\n")
    assert '"a" has other samples' in refused("|a 1:1\n", ["a:sparse:4"])
    message = refused("0 |a 1 |b 1\n0 |a 1\n")
    assert 'streams "a" and "b" have other lengths' in message
    assert 'of the name "position_ids"' in refused("0 |a 1 |position_ids 1\n")
    assert "no stream but attention_mask" in refused("0 |attention_mask 1\n")


def test_a_data_set_gives_rows():
    dataset = sheaf.torch.SheafDataset(
        Documents([5, 20, 3, 9, 1]), packing="packed", row_samples=ROW, long="split",
        minibatch_samples=16, order="keyed", collate_fn=sheaf.torch.packed_rows,
    )  # fmt: skip
    begun = next(iter(dataset))
    other = sheaf.torch.SheafDataset(
        Documents([5, 20, 3, 9, 1]), packing="packed", row_samples=ROW, long="split",
        minibatch_samples=16, order="keyed", collate_fn=sheaf.torch.packed_rows,
    )  # fmt: skip
    other.load_state_dict(dataset.state_dict())
    rest = list(other)
    tokens = sum((batch["labels"] != -100).sum().item() for batch in [begun, *rest])
    assert tokens == 38 - (1 + 3 + 1 + 2 + 1)
    assert all(batch["input_ids"].shape[1] == ROW for batch in [begun, *rest])


# Attention of a Hugging Face model stays within a sequence, by position_ids or by cu_seq_lens.


def varlen_attention(module, query, key, value, attention_mask, scaling=None, **kwargs):
    """Attention like the kernels of flash attention, which use only cu_seq_lens."""
    assert kwargs["cu_seq_lens_k"] is not None and kwargs["max_length_k"] is not None
    groups = query.shape[1] // key.shape[1]
    key, value = (each.repeat_interleave(groups, 1) for each in (key, value))
    flat = [each.transpose(1, 2).flatten(0, 1) for each in (query, key, value)]
    found = torch.empty_like(flat[0])
    bounds = kwargs["cu_seq_lens_q"].tolist()
    assert max(b - a for a, b in itertools.pairwise(bounds)) == kwargs["max_length_q"]
    for begin, end in itertools.pairwise(bounds):
        part = [each[begin:end].transpose(0, 1) for each in flat]
        found[begin:end] = torch.nn.functional.scaled_dot_product_attention(
            *part, is_causal=True, scale=scaling
        ).transpose(0, 1)
    return found.view(query.shape[0], query.shape[2], *found.shape[1:]), None


@pytest.fixture(scope="module")
def model():
    transformers = pytest.importorskip("transformers", reason="pip install transformers")
    transformers.modeling_utils.ALL_ATTENTION_FUNCTIONS.register("varlen_test", varlen_attention)
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=1000, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, use_cache=False,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config).double().eval()


LENGTHS = [5, 2, 3, 8, 19, 1, 7]


def loss_of(model, input_ids, labels, **more):
    """The mean loss of the predicted tokens in 64 bits. The model's own loss has 32 bits."""
    logits = model(input_ids=input_ids, **more).logits[:, :-1]
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten()).item()


def loss_of_pieces(model):
    """The same, of each piece of a document by itself."""
    total, count = 0.0, 0
    for document, length in enumerate(LENGTHS):
        for begin in range(0, length, ROW):
            ids = torch.arange(begin, min(begin + ROW, length))[None] + 100 * document
            if ids.shape[1] > 1:
                total += loss_of(model, ids, ids) * (ids.shape[1] - 1)
                count += ids.shape[1] - 1
    return total / count


@pytest.mark.parametrize("attention", ["sdpa", "eager", "varlen_test"])
def test_attention_does_not_cross_sequences(model, attention):
    rows = rows_of(LENGTHS, order="keyed", seed=3)
    with torch.no_grad():
        model.set_attn_implementation("eager")
        expected = loss_of_pieces(model)
        crossing = loss_of(model, rows["input_ids"], rows["labels"])
        model.set_attn_implementation(attention)
        assert loss_of(model, **rows) == pytest.approx(expected, rel=1e-9)
        assert model(**rows).loss.item() == pytest.approx(expected, rel=1e-6)
    assert abs(crossing - expected) > 1e-6  # so the comparison can fail


def test_a_minibatch_has_at_most_2147483647_tokens():
    from sheaf import _packed_rows

    with pytest.raises(sheaf.ConfigError, match="at most 2147483647 tokens: got 2147483648"):
        _packed_rows._positions(np.array([0, 2**31]), (1, 2**31))
