"""The examples run and learn, and README.md is true."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys

import pytest

import sheaf
from conftest import ROOT

DOCS = ROOT / "docs"


def run(*arguments) -> str:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_train_digits_reaches_93_percent():
    accuracy = re.search(r"test accuracy: ([\d.]+) %", run("examples/train_digits.py"))
    assert accuracy is not None
    assert float(accuracy[1]) >= 93


def test_train_frames_learns_in_both_orders():
    printed = run("examples/train_frames.py")
    found = re.findall(r"(\w+): ([\d.]+) % of 673 frames", printed)
    assert [order for order, _ in found] == ["cntk", "keyed"], printed
    assert all(float(accuracy) >= 85 for _, accuracy in found), printed


def test_train_images_resumes_with_another_number_of_workers(tmp_path):
    printed = run("examples/train_images.py", tmp_path)
    assert "two workers, then three: the pixels are those of the whole run" in printed
    accuracy = re.search(r"test accuracy: ([\d.]+) %", printed)
    assert accuracy is not None
    assert float(accuracy[1]) >= 92, printed


def test_train_speech_resumes_with_another_number_of_processes(tmp_path):
    printed = run("examples/train_speech.py", tmp_path)
    whole = re.search(r"^whole run: (\d+) steps of 1 process$", printed, re.MULTILINE)
    killed = re.search(r"^killed behind step (\d+) of 2 processes$", printed, re.MULTILINE)
    resumed = re.search(r"^resumed at step (\d+) with 3 processes$", printed, re.MULTILINE)
    assert whole and killed and resumed, printed
    assert 1 < int(resumed[1]) <= int(killed[1]) + 1 < int(whole[1])
    assert "\nthe minibatches are those of the whole run\n" in printed
    found = re.findall(r"^\w+: ([\d.]+) % of the test recordings", printed, re.MULTILINE)
    assert len(found) == 2, printed
    assert all(float(accuracy) >= 90 for accuracy in found), printed


def programs(page) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


def test_the_quick_start_prints_the_documented_output():
    program = programs(ROOT / "README.md")[0]
    assert program == programs(DOCS / "index.md")[0]
    printed = re.search(r"It prints\n\n```\n(.*?)```", (DOCS / "index.md").read_text(), re.DOTALL)
    assert printed is not None
    assert run("-c", program) == printed[1]


def test_the_commands_of_the_readme_run(tmp_path, digits):
    section = (ROOT / "README.md").read_text().partition("## Shell\n")[2]
    lines = re.search(r"run in the clone:\n\n```sh\n(.*?)```", section, re.DOTALL)
    assert lines is not None
    shutil.copytree(digits, tmp_path / "testdata" / "digits")
    script = f'sheaf() {{ "{sys.executable}" -m sheaf "$@"; }}\nset -e\n{lines[1]}'
    subprocess.run(["bash", "-c", script], cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    assert (tmp_path / "train-00000-of-00008.cbf").exists()


def test_the_commands_of_many_machines_run(tmp_path, digits):
    page = (DOCS / "how-to" / "many-machines.md").read_text()
    lines = re.search(r"in three processes:\n\n```sh\n(.*?)```", page, re.DOTALL)
    assert lines is not None
    shutil.copy(digits / "train.ctf", tmp_path)
    script = f'sheaf() {{ "{sys.executable}" -m sheaf "$@"; }}\nset -e\n{lines[1]}'
    subprocess.run(["bash", "-c", script], cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    sheaf.convert(tmp_path / "train.ctf", tmp_path / "expected.cbf")
    assert (tmp_path / "train.cbf").read_bytes() == (tmp_path / "expected.cbf").read_bytes()
    assert json.loads((tmp_path / "check.json").read_text())["sequences"] == 1438


def sizes(path, **options) -> list[int]:
    reader = sheaf.Reader(path, order="keyed", packing="frames", **options)
    return [len(minibatch.sequence_keys) for minibatch in reader]


def test_minibatches_have_the_documented_sizes(digits, write_ctf):
    train = digits / "train.ctf"
    assert sorted(set(sizes(train, batch_size=32))) == [31, 32]
    assert sorted(set(sizes(train, batch_size=100))) == [95, 96]
    assert (len(sizes(train, batch_size=32)), len(sizes(train, batch_size=100))) == (45, 15)
    lengths = [1 + key * 7919 % 511 for key in range(500)]
    path = write_ctf("".join(f"{key} |x 1\n" * n for key, n in enumerate(lengths)))

    rows = {"packing": "packed", "row_samples": 512, "minibatch_samples": 16384}
    shapes = [minibatch.x.values.shape for minibatch in sheaf.Reader(path, order="keyed", **rows)]
    assert all(steps == 512 and 24 <= slots <= 40 for steps, slots, _ in shapes), shapes
    truncated = {"order": "keyed", "truncation_length": 20}
    minibatch = next(iter(sheaf.Reader(path, minibatch_samples=640, **truncated)))
    assert minibatch.x.values.shape[:2] == (20, 32)
    with pytest.raises(sheaf.ConfigError, match="in place of batch_size"):
        sheaf.Reader(path, batch_size=32, **truncated)


@pytest.mark.parametrize("order", ["file", "cntk", "keyed"])
def test_minibatch_samples_is_exceeded_by_the_documented_amount(order, write_ctf):
    lengths = [1 + key * 7919 % 120 for key in range(1000)]
    path = write_ctf("".join(f"{key} |x 1\n" * n for key, n in enumerate(lengths)))
    found = [each.x.lengths for each in sheaf.Reader(path, order=order, minibatch_samples=100)]
    if order == "keyed":
        assert all(each.sum() < 100 + each.max() for each in found)
        assert max(each.sum() for each in found) > 120
    else:
        assert all(each.sum() <= 100 or len(each) == 1 for each in found)


def train_tagger(folder):
    pytest.importorskip("torch", reason="examples/train_tagger.py needs torch")
    command = [sys.executable, ROOT / "examples" / "train_tagger.py", folder, "2"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_tagger_resumes_to_the_same_weights(tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    expected = train_tagger(tmp_path / "whole").communicate()[0].splitlines()
    losses = [float.fromhex(line.split()[2]) for line in expected[:-1]]
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])

    seen = []
    for kill_at in (20, 45):
        with train_tagger(tmp_path / "killed") as process:
            for line in process.stdout:
                seen.append(line.strip())
                if int(line.split()[0]) == kill_at:
                    process.kill()
                    seen += process.stdout.read().split("\n")[:-1]  # lines printed before the kill
                    break
        assert process.returncode == -signal.SIGKILL
    seen += train_tagger(tmp_path / "killed").communicate()[0].splitlines()

    assert len(seen) > len(expected)  # steps behind a checkpoint were done again
    assert list(dict.fromkeys(seen)) == expected


OF_RAY = re.compile(r"^ *import (sheaf\.)?ray\b", re.MULTILINE)  # test_ray.py runs these programs
ON_TWO_PROCESSES = DOCS / "how-to" / "frameworks.md"  # test_torch_frameworks.py runs its programs
TUTORIAL = DOCS / "tutorial.md"  # test_tutorial.py runs its programs
FIRST_CHANGE = DOCS / "first-change.md"  # has pieces of sources, which test_first_change.py checks
PROGRAMS = {
    f"{page.relative_to(ROOT)}, program {number}": program
    for page in [
        ROOT / "README.md",
        *sorted(set(DOCS.rglob("*.md")) - {ON_TWO_PROCESSES, TUTORIAL, FIRST_CHANGE}),
    ]
    for number, program in enumerate(programs(page))
    if not OF_RAY.search(program)
}
HEAVY = (
    *("PIL", "av", "cv2", "datasets", "litdata", "polars", "pyarrow", "pyspark", "scipy"),
    *("streaming", "torch", "transformers", "webdataset"),
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_of_the_pages_run(name, tmp_path, digits, monkeypatch):
    program = PROGRAMS[name]
    for module in HEAVY:
        if re.search(rf"import {module}\b|to_{module}\b", program):
            pytest.importorskip(module, reason=f"the program needs {module}, which is missing")
    shutil.copytree(digits.parent, tmp_path / "testdata")
    shutil.copy(digits / "train.ctf", tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(compile(program, name, "exec"), {"__name__": "program"})
