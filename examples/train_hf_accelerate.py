#!/usr/bin/env python3
"""A language model by Accelerate, on packed rows of Hugging Face; it may be killed at any moment.

train_hf_accelerate.py FOLDER [EPOCHS]

`register_for_checkpointing` puts the place in the data into the checkpoints in FOLDER. A new start
of the program resumes from the last one. Prints the loss of each step.
"""

from __future__ import annotations

import os

import accelerate
import torch
from tiny_language import check_rows, documents, folder_and_epochs, model, rows_of, tell


def main() -> None:
    folder, epochs = folder_and_epochs()
    accelerator = accelerate.Accelerator(cpu=True)
    dataset = rows_of(documents(folder))
    trained = model()
    check_rows(trained, next(iter(rows_of(documents(folder)))))
    optimizer = torch.optim.AdamW(trained.parameters(), lr=1e-2)
    trained, optimizer = accelerator.prepare(trained, optimizer)
    accelerator.register_for_checkpointing(dataset)
    latest, step = folder / "latest", 0
    if latest.exists():
        accelerator.load_state(folder / latest.read_text())
        step = int(latest.read_text().removeprefix("accelerate-"))
    for epoch in range(dataset.epoch, epochs):
        for batch in dataset:
            batch = accelerate.utils.send_to_device(batch, accelerator.device)
            loss = trained(**batch).loss
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            step += 1
            tell(step, loss.item())
            if step % 7 == 0:
                name = f"accelerate-{step}"
                accelerator.save_state(folder / name)
                (folder / "new").write_text(name)
                os.replace(folder / "new", latest)  # complete or absent
        assert dataset.epoch == epoch + 1
    check_rows(accelerator.unwrap_model(trained).eval(), next(iter(rows_of(documents(folder)))))


if __name__ == "__main__":
    main()
