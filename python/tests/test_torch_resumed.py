"""A framework that resumes at another place than the data set is refused; others are not."""

from __future__ import annotations

import pytest

import sheaf

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader  # noqa: E402

import sheaf.torch  # noqa: E402


def data(path, **options):
    return sheaf.torch.SheafDataset(path, batch_size=6, order="keyed", packing="frames", **options)


@pytest.fixture
def path(write_ctf):
    return write_ctf("".join(f"{i} |x {i} 1\n" for i in range(40)))  # 7 batches


@pytest.mark.parametrize("saved_at", [3, 10])
@pytest.mark.filterwarnings("ignore")
def test_lightning_with_a_plain_loader_is_refused_when_it_resumes(path, tmp_path, saved_at):
    lightning = pytest.importorskip("pytorch_lightning", reason="it is about Lightning")
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)
            self.steps = 0

        def training_step(self, batch, number):
            self.steps += 1
            return self.layer(batch["x"]["values"]).sum()

        def validation_step(self, batch, number):
            pass

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=1e-9)

    def fit(loader, steps, checkpoint=None):
        saved = lightning.callbacks.ModelCheckpoint(
            tmp_path, filename="saved", every_n_train_steps=saved_at, enable_version_counter=False
        )
        trainer = lightning.Trainer(
            max_epochs=2, max_steps=steps, logger=False, accelerator="cpu",
            callbacks=[saved] if checkpoint is None else None,
            enable_checkpointing=checkpoint is None,
            enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp_path,
        )  # fmt: skip
        model = Model()
        trainer.fit(model, loader, DataLoader(data(path), batch_size=None), ckpt_path=checkpoint)
        return model.steps

    def plain():
        return DataLoader(data(path), batch_size=None)

    def kept():
        return stateful.StatefulDataLoader(data(path), batch_size=None)

    assert fit(plain(), saved_at) == saved_at
    with pytest.raises(sheaf.ConfigError, match=f"resumes behind batch {saved_at % 7} of an epoch"):
        fit(plain(), -1, tmp_path / "saved.ckpt")
    assert fit(kept(), saved_at) == saved_at
    assert fit(kept(), -1, tmp_path / "saved.ckpt") == 14 - saved_at


@pytest.mark.parametrize("saved_at", [3, 10])
def test_a_trainer_without_the_callback_is_refused_when_it_resumes(path, tmp_path, saved_at):
    transformers = pytest.importorskip("transformers", reason="it is about the Trainer")
    pytest.importorskip("accelerate", reason="the Trainer needs it")

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def forward(self, x):
            return {"loss": self.layer(x).sum()}

    class Trainer(transformers.Trainer):
        def get_train_dataloader(self):
            return DataLoader(self.train_dataset, batch_size=None)

    class Stop(transformers.TrainerCallback):
        def on_step_end(self, args, state, control, **_):
            control.should_training_stop = state.global_step == saved_at

    def train(callbacks, checkpoint=None):
        dataset = data(path, collate_fn=lambda minibatch: {"x": minibatch.x.to_torch()})
        arguments = transformers.TrainingArguments(
            str(tmp_path), num_train_epochs=2, save_steps=saved_at, report_to=[], use_cpu=True,
            disable_tqdm=True,
        )  # fmt: skip
        callbacks = [callback(dataset) for callback in callbacks]
        trainer = Trainer(Model(), arguments, train_dataset=dataset, callbacks=callbacks)
        trainer.train(resume_from_checkpoint=checkpoint)
        return trainer.state.global_step

    train([lambda dataset: Stop()])
    checkpoint = tmp_path / f"checkpoint-{saved_at}"
    if saved_at > 7:
        with pytest.raises(sheaf.ConfigError, match="would skip batches of epoch 0"):
            train([], checkpoint)
    else:
        assert train([], checkpoint) == 14
    assert train([sheaf.torch.epoch_callback], checkpoint) == 14
