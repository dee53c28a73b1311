#!/usr/bin/env python3
"""A language model by the Trainer of Hugging Face, on packed rows; it may be killed at any moment.

train_hf_trainer.py FOLDER [EPOCHS]

The Trainer saves a checkpoint in FOLDER every few steps. A new start of the program resumes from
the last one, and skips the rows before it. Prints the loss of each step.
"""

from __future__ import annotations

import os
from typing import Any

import torch
import transformers
from tiny_language import check_rows, documents, folder_and_epochs, model, rows_of, tell

import sheaf.torch


class SheafTrainer(transformers.Trainer):
    def get_train_dataloader(self) -> torch.utils.data.DataLoader[Any]:
        return torch.utils.data.DataLoader(self.train_dataset, batch_size=None)

    def training_step(self, *arguments: Any, **more: Any) -> torch.Tensor:
        loss = super().training_step(*arguments, **more)
        tell(self.state.global_step + 1, loss.item())
        return loss


def main() -> None:
    folder, epochs = folder_and_epochs()
    dataset = rows_of(documents(folder))
    trained = model()
    check_rows(trained, next(iter(rows_of(documents(folder)))))
    out = folder / "trainer"
    arguments = transformers.TrainingArguments(
        str(out),
        num_train_epochs=epochs,
        learning_rate=1e-2,
        save_steps=7,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    callbacks = [sheaf.torch.epoch_callback(dataset)]
    trainer = SheafTrainer(trained, arguments, train_dataset=dataset, callbacks=callbacks)
    os.makedirs(out, exist_ok=True)
    trainer.train(resume_from_checkpoint=transformers.trainer_utils.get_last_checkpoint(str(out)))
    check_rows(trained.eval(), next(iter(rows_of(documents(folder)))))


if __name__ == "__main__":
    main()
