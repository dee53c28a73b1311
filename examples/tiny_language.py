"""Documents of a made-up language, and a small model of it, for the train_hf_*.py.

`documents` makes a data set of Hugging Face, and `rows_of` reads it in packed rows. `model` returns
an untrained causal language model. `check_rows` shows that no sequence of a row attends to another
one.
"""

from __future__ import annotations

import itertools
import pathlib
import random
import sys
from typing import Any

import datasets
import torch
import transformers

import sheaf
import sheaf.torch

WORDS, DOCUMENTS = 64, 400
ROW_TOKENS = 32


def documents(folder: pathlib.Path) -> datasets.Dataset:
    """Return documents of 2 to 90 tokens, saved in the folder. Two tokens may follow each token."""
    saved = folder / "documents"
    if not saved.exists():
        choose = random.Random(7)
        texts = []
        for _ in range(DOCUMENTS):
            text = [choose.randrange(WORDS)]
            for _ in range(choose.randint(1, 89)):
                text.append((5 * text[-1] + choose.choice((1, 1, 1, 2))) % WORDS)
            texts.append(text)
        partial = folder / "documents.partial"
        datasets.Dataset.from_dict({"input_ids": texts}).save_to_disk(partial)
        partial.rename(saved)
    return datasets.load_from_disk(str(saved))


def rows_of(dataset: datasets.Dataset) -> sheaf.torch.SheafDataset:
    """Return shuffled minibatches of about 16 rows. A long document continues in the next row."""
    return sheaf.torch.SheafDataset(
        sheaf.from_hugging_face(dataset),
        order="keyed",
        seed=3,
        packing="packed",
        row_samples=ROW_TOKENS,
        long="split",
        minibatch_samples=16 * ROW_TOKENS,
        collate_fn=sheaf.torch.packed_rows,
    )


def model() -> transformers.PreTrainedModel:
    """Return a small Llama. With a cache, the model would ignore position_ids and mix sequences."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the order of additions, and so the last bit, depends on it
    config = transformers.LlamaConfig(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        use_cache=False,
    )
    return transformers.LlamaForCausalLM(config)


def check_rows(model: transformers.PreTrainedModel, rows: dict[str, Any]) -> None:
    """Compare the loss of packed rows with the losses of their single sequences."""
    ids, targets = rows["input_ids"].flatten(), rows["labels"].flatten()
    bounds = rows["cu_seq_lens_q"].tolist()
    total, count = 0.0, 0
    with torch.no_grad():
        for begin, end in itertools.pairwise(bounds):
            predicted = int((targets[begin:end] != -100).sum())
            if predicted > 0:
                alone = ids[None, begin:end]
                total += model(input_ids=alone, labels=alone).loss.item() * predicted
                count += predicted
        packed = model(**rows).loss.item()
    assert abs(packed - total / count) < 1e-5, "the sequences of a row are not independent"
    print(f"loss of the rows {packed:.5f}, of their sequences alone {total / count:.5f}")


def folder_and_epochs() -> tuple[pathlib.Path, int]:
    """Return the arguments of the program."""
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder, int(sys.argv[2]) if len(sys.argv) > 2 else 3


def tell(step: int, loss: float) -> None:
    """Print the loss of a step to the last bit."""
    print("step", step, "loss", loss.hex(), flush=True)
