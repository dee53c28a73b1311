#!/usr/bin/env python3
"""A language model by Lightning, on packed rows of Hugging Face; it may be killed at any moment.

train_hf_lightning.py FOLDER [EPOCHS]

torchdata's StatefulDataLoader puts the place in the data into Lightning's checkpoints in FOLDER.
A new start of the program resumes from the last one. Prints the loss of each step.
"""

from __future__ import annotations

from typing import Any

import pytorch_lightning as lightning
import torch
from tiny_language import check_rows, documents, folder_and_epochs, model, rows_of, tell
from torchdata.stateful_dataloader import StatefulDataLoader


class Language(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.model = model()

    def training_step(self, batch: dict[str, Any], number: int) -> torch.Tensor:
        loss: torch.Tensor = self.model(**batch).loss
        tell(self.global_step + 1, loss.item())
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=1e-2)


def main() -> None:
    folder, epochs = folder_and_epochs()
    language = Language()
    check_rows(language.model, next(iter(rows_of(documents(folder)))))
    loader = StatefulDataLoader(rows_of(documents(folder)), batch_size=None)
    checkpoints = lightning.callbacks.ModelCheckpoint(
        folder / "lightning", every_n_train_steps=7, save_last=True
    )
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=epochs,
        logger=False,
        callbacks=[checkpoints],
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(language, loader, ckpt_path="last")  # without a checkpoint, training starts anew
    check_rows(language.model.eval(), next(iter(rows_of(documents(folder)))))


if __name__ == "__main__":
    main()
