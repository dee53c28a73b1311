#!/usr/bin/env python3
"""Train a sequence tagger in torch. A run that is killed and resumed ends with the same weights.

train_tagger.py FOLDER [EPOCHS]

Makes a small tagged corpus in FOLDER, unless it exists, and trains a bidirectional LSTM on it.
Every few steps, saves the model, the optimizer and the position of the reader in
FOLDER/checkpoint.pt. A new start of the program resumes from there. Prints the loss of each step to
the last bit.
"""

from __future__ import annotations

import os
import pathlib
import random
import sys

import torch

import sheaf

WORDS, TAGS, SENTENCES = 300, 6, 600
STREAMS = ["word:sparse:300", "tag:sparse:6:mb"]
STEPS_BETWEEN_CHECKPOINTS = 7


def make_corpus(path: pathlib.Path) -> None:
    """Write sentences of words and tags. A third of the words has two possible tags."""
    choose = random.Random(7)
    partial = path.with_suffix(".partial")
    with partial.open("w") as file:
        for sentence in range(SENTENCES):
            tag = choose.randrange(TAGS)
            for _ in range(choose.randint(3, 25)):
                tag = (tag + choose.choice((1, 1, 1, 2, 5))) % TAGS
                word = (tag * 50 + choose.randrange(75)) % WORDS
                file.write(f"{sentence} |word {word}:1 |tag {tag}:1\n")
    partial.replace(path)


class Tagger(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(WORDS, 24)
        self.lstm = torch.nn.LSTM(24, 32, batch_first=True, bidirectional=True)
        self.scores = torch.nn.Linear(64, TAGS)

    def forward(self, words: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return scores of all tags for each word, [words of all sentences, tags]."""
        rows = torch.nn.utils.rnn.pack_padded_sequence(
            self.table(words), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = torch.nn.utils.rnn.pad_packed_sequence(self.lstm(rows)[0], batch_first=True)
        is_word = torch.arange(words.shape[1]) < lengths[:, None]
        return self.scores(states[is_word])


def words_and_tags(minibatch: sheaf.Minibatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return words [sentences, words], zero behind their ends; lengths; the tags of all words."""
    word = minibatch.word
    mask = torch.from_numpy(word.mask)
    words = torch.zeros(mask.shape, dtype=torch.long)
    words[mask] = torch.from_numpy(word.indices).long()
    return words, torch.from_numpy(word.lengths), torch.from_numpy(minibatch.tag.indices).long()


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    corpus, checkpoint = folder / "tagged.ctf", folder / "checkpoint.pt"
    if not corpus.exists():
        make_corpus(corpus)

    torch.manual_seed(1)
    torch.set_num_threads(1)  # the order of additions, and so the last bit, depends on it
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    reader = sheaf.Reader(corpus, STREAMS, minibatch_samples=256, order="keyed", seed=3)
    step = 0
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        reader.load_state_dict(saved["reader"])
        step = saved["step"]

    while reader.epoch < epochs:
        for minibatch in reader:
            words, lengths, tags = words_and_tags(minibatch)
            loss = torch.nn.functional.cross_entropy(model(words, lengths), tags)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            print(step, minibatch.position["epoch"], loss.item().hex(), flush=True)
            if step % STEPS_BETWEEN_CHECKPOINTS == 0:
                state = {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "reader": reader.state_dict(),
                    "step": step,
                }
                torch.save(state, checkpoint.with_suffix(".partial"))
                os.replace(checkpoint.with_suffix(".partial"), checkpoint)
    print("sum of the weights", sum(weight.sum().item() for weight in model.parameters()).hex())


if __name__ == "__main__":
    main()
