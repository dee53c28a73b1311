"""`sheaf position`, and the positions that --resume accepts and refuses."""

import json
import unittest
from pathlib import Path

from command import BAD_DATA, DIGITS, DIGITS_STREAMS, CommandTest

STREAMS = ("--stream", "a:dense:1")
LENGTHS = [1 + i * 5 % 7 for i in range(70)]
DATA = "".join(f"{i} |a {i}.{t}\n" for i, length in enumerate(LENGTHS) for t in range(length))
SAMPLES = sum(LENGTHS)
CNTK = ("--order", "cntk", "--chunk-bytes", "200", "--window-chunks", "3", "--seed", "5")
TRUNCATED = ("--truncation-length", "4", "--minibatch-size", "12")


class PositionTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.write(DATA)
        self.at = str(self.folder / "at.json")

    def read(self, *arguments: str) -> str:
        return self.good("read", self.path, *STREAMS, "--format", "keys", *arguments)

    def save(self, *arguments: str, minibatches: int = 3) -> str:
        return self.read(
            *arguments, "--max-minibatches", str(minibatches), "--save-position", self.at
        )

    def seek(self, *arguments: str) -> str:
        return self.good("position", "seek", self.path, *STREAMS, *arguments, "--output", self.at)

    def test_a_run_is_the_same_in_parts(self) -> None:
        for arguments in (
            ("--minibatch-size", "10", "--sweeps", "2"),
            (*CNTK, "--minibatch-size", "10", "--epochs", "2"),
            (*CNTK, "--minibatch-size", "20", "--worker", "1/2", "--epoch-size", "100"),
            (*CNTK, *TRUNCATED),
            ("--split-frames", "--minibatch-size", "10"),
        ):
            with self.subTest(arguments):
                whole = self.read(*arguments)
                parts = self.save(*arguments, minibatches=2)
                for _ in range(2):  # the file that is read is also the one that is written
                    parts += self.save(*arguments, "--resume", self.at, minibatches=3)
                self.assertEqual(len(parts), json.loads(Path(self.at).read_text())["output_bytes"])
                parts += self.read(*arguments, "--resume", self.at)
                self.assertEqual(whole, parts)

    def test_a_position_without_its_file_fields_is_accepted(self) -> None:
        first = self.save("--minibatch-size", "10")
        position = json.loads(Path(self.at).read_text())["position"]
        self.write(json.dumps(position), "at.json")
        rest = self.read("--minibatch-size", "10", "--resume", self.at, "--save-position", self.at)
        self.assertEqual(self.read("--minibatch-size", "10"), first + rest)
        self.assertEqual(len(rest), json.loads(Path(self.at).read_text())["output_bytes"])

    def test_a_new_run_replaces_the_saved_position_before_printing(self) -> None:
        self.read("--save-position", self.at)
        self.assertEqual("", self.save(minibatches=0))
        saved = json.loads(Path(self.at).read_text())
        self.assertEqual(0, saved["output_bytes"])
        self.assertEqual(0, saved["position"]["sequence"])
        self.assertEqual(["at.json", "data.ctf"], sorted(p.name for p in self.folder.iterdir()))

    def test_an_error_keeps_the_position_before_the_error(self) -> None:
        path = self.write("0 |a 1\n1 |a 2\n2 |a x\n3 |a 4\n")
        arguments = ("read", path, *STREAMS, "--minibatch-size", "1", "--format", "keys")
        result = self.run_sheaf(*arguments, "--save-position", self.at)
        self.assertEqual(BAD_DATA, result.returncode)
        saved = json.loads(Path(self.at).read_text())
        self.assertEqual(len(result.stdout), saved["output_bytes"])
        self.assertEqual(2, saved["position"]["sequence"])
        again = self.run_sheaf(*arguments, "--resume", self.at)
        self.assertEqual((BAD_DATA, ""), (again.returncode, again.stdout))

    def test_format_none_saves_positions(self) -> None:
        arguments = ("read", self.path, *STREAMS, *CNTK, "--format", "none", "--json")
        whole = int(self.good_json(*arguments)["checksum"], 16)
        first = self.good(*arguments, "--max-minibatches", "1", "--save-position", self.at)
        self.assertEqual(len(first), json.loads(Path(self.at).read_text())["output_bytes"])
        rest = self.good_json(*arguments, "--resume", self.at)
        self.assertEqual(
            whole, (int(json.loads(first)["checksum"], 16) + int(rest["checksum"], 16)) % 2**64
        )

    def test_positions_of_other_runs_are_refused_with_the_difference(self) -> None:
        self.save(*CNTK, "--worker", "0/2")
        other = self.write(DATA.replace("69.0", "69.5"), "other.ctf")
        unseeded, same = CNTK[:-2], (*CNTK, "--worker", "0/2")
        for path, arguments, difference in (
            (other, same, "data was ctf:"),
            (self.path, (*unseeded, "--seed", "6", "--worker", "0/2"), "seed was 5, is 6"),
            (self.path, ("--order", "cntk", "--chunk-bytes", "200", "--window-chunks", "4",
                         "--seed", "5", "--worker", "0/2"), "window_chunks was 3, is 4"),
            (self.path, (*CNTK, "--worker", "1/2"), "worker was 0/2, is 1/2"),
            (self.path, (*same, "--timeline", "global"), "timeline was local, is global"),
            (self.path, ("--chunk-bytes", "200", "--worker", "0/2"), "algorithm was cntk, is file"),
            (self.path, (*same, "--epoch-size", "100"), "sweeps was 1, is not set"),
            (self.path, (*same, "--split-frames"), "split_frames was not set, is true"),
            (self.path, (*same, "--packing", "ragged"), "packing was padded, is ragged"),
            (self.path, (*same, "--row-samples", "12"), "packing was padded, is packed/12"),
            (self.path, (*same, *TRUNCATED), "truncation_length was not set, is 4"),
        ):  # fmt: skip
            with self.subTest(difference):
                error = self.refused("read", path, *STREAMS, *arguments, "--resume", self.at)
                self.assertIn("position: it belongs to another run: ", error)
                self.assertIn(difference, error)

    def test_damaged_files_are_refused(self) -> None:
        self.save("--minibatch-size", "10")
        good = Path(self.at).read_text()
        wrapped = json.loads(good)
        for text, message in (
            ("", "not JSON"),
            (good[: len(good) // 2], "not JSON"),
            (good.replace('"epoch"', '"epocj"'), 'field "epocj" is not one of'),
            (good.replace('"sequence":', '"sequence":-'), 'field "sequence" must be a whole'),
            ("[]", "must be a JSON object"),
            ("{}", 'field "format_version" is missing'),
            (json.dumps({**wrapped, "output_bytes": -1}), 'field "output_bytes" must be there'),
            (json.dumps({**wrapped, "output_bytes": 2**63}), 'field "output_bytes" must be there'),
            (json.dumps({**wrapped, "output_bytes": 1.5}), 'field "output_bytes" must be there'),
            (json.dumps({"position": wrapped["position"]}), 'field "output_bytes" must be there'),
            (json.dumps({**wrapped, "more": 1}), 'field "more" is neither'),
            (json.dumps({**wrapped, "position": 7}), "must be a JSON object: got 7"),
        ):
            with self.subTest(text[:40]):
                self.write(text, "bad.json")
                bad = str(self.folder / "bad.json")
                for verb in (
                    ("read", self.path, *STREAMS, "--minibatch-size", "10", "--resume", bad),
                    ("position", "show", bad),
                ):
                    error = self.refused(*verb)
                    self.assertIn(f"{bad}: ", error)
                    self.assertIn(message, error)

    def test_positions_outside_the_run_are_refused(self) -> None:
        arguments = (*CNTK, "--minibatch-size", "10")
        self.save(*arguments)
        saved = json.loads(Path(self.at).read_text())
        for field, value in (("sequence", 71), ("sample", 3), ("epoch", 9), ("sweep", 7)):
            with self.subTest(field):
                self.write(
                    json.dumps({**saved, "position": {**saved["position"], field: value}}),
                    "at.json",
                )
                self.assertIn(
                    "position: ",
                    self.refused("read", self.path, *STREAMS, *arguments, "--resume", self.at),
                )

    def test_show_prints_the_fields_of_a_position(self) -> None:
        self.save(*CNTK, *TRUNCATED)
        text = self.good("position", "show", self.at)
        for line in (
            "order     cntk",
            "seed = 5",
            "truncation_length = 4",
            "epoch     0",
            "carry ",
        ):
            self.assertIn(line, text)
        self.assertEqual(
            Path(self.at).read_text(), self.good("position", "show", self.at, "--json")
        )
        result = self.run_sheaf("position", "show", str(self.folder / "missing.json"))
        self.assertEqual(BAD_DATA, result.returncode)

    def test_show_escapes_control_characters(self) -> None:
        self.save()
        saved = json.loads(Path(self.at).read_text())
        saved["position"]["options"]["\x1b[31m"] = "a\nb"
        self.write(json.dumps(saved), "at.json")
        text = self.good("position", "show", self.at)
        self.assertNotIn("\x1b", text)
        self.assertIn('"\\u001b[31m" = "a\\nb"', text)

    def test_seek_finds_any_sample(self) -> None:
        for order in (("--sweeps", "2"), (*CNTK, "--sweeps", "2"), ("--split-frames",)):
            arguments = (*order, "--minibatch-size", "1")
            whole = self.read(*arguments).splitlines(keepends=True)
            starts = [0]
            for line in whole:
                starts.append(starts[-1] + json.loads(line)["samples"])
            for sample in (0, 1, 2, 17, SAMPLES - 8, SAMPLES + 1, 2 * SAMPLES - 9):
                if sample > starts[-2]:
                    continue  # no sequence starts there
                with self.subTest(order=order, sample=sample):
                    self.seek(*arguments, "--sample", str(sample))
                    first = next(i for i, start in enumerate(starts) if start >= sample)
                    self.assertEqual(
                        "".join(whole[first:]), self.read(*arguments, "--resume", self.at)
                    )

    def test_seek_finds_sweeps_and_epochs(self) -> None:
        for order in (
            ("--epochs", "3"),
            (*CNTK, "--sweeps", "2", "--epochs", "3"),
            (*CNTK, "--epochs", "3", "--worker", "1/2"),
            (*CNTK, "--epochs", "3", "--epoch-size", "100"),
            (*CNTK, *TRUNCATED, "--epochs", "3"),
            (*CNTK, "--row-samples", "40", "--epochs", "3"),
            (*CNTK, "--row-samples", "4", "--long", "split", "--epochs", "3"),
            (*CNTK, "--row-samples", "4", "--long", "truncate", "--epochs", "3"),
            ("--row-samples", "4", "--long", "drop", "--epochs", "3"),
        ):
            with self.subTest(order):
                whole = self.read(*order).splitlines(keepends=True)
                ends = [i for i, line in enumerate(whole) if '"ends_epoch":true' in line]
                self.assertEqual(3, len(ends))
                self.seek(*order, "--epoch", "2")
                rest = self.read(*order, "--resume", self.at)
                self.assertEqual("".join(whole[ends[1] + 1 :]), rest)
        self.seek(*CNTK, "--sweeps", "3", "--sweep", "2")
        rest = self.read(*CNTK, "--sweeps", "3", "--resume", self.at)
        keys = [key for line in rest.splitlines() for key in json.loads(line)["keys"]]
        self.assertEqual(list(range(70)), sorted(keys))

    def test_seek_prints_the_position_it_writes(self) -> None:
        shown = self.seek("--sample", "20")
        self.assertEqual(shown, self.good("position", "show", self.at))
        line = self.seek("--sample", "20", "--json")
        self.assertEqual(line, Path(self.at).read_text())
        self.assertEqual(0, json.loads(line)["output_bytes"])

    def test_seek_refuses_wrong_options_and_positions_beyond_the_run(self) -> None:
        over = "position: the run is over before it"
        for arguments, message in (
            ((), "one of --sample, --sweep and --epoch says where to: got none"),
            (("--sample", "1", "--epoch", "0"), "says where to: got more"),
            (("--sample", str(SAMPLES)), over),
            (("--sweep", "1"), over),
            (("--epoch", "1"), over),
            ((*CNTK, "--epoch", "1"), over),
            (("--sweep", "9" * 18), "--sweep 999999999999999999 lies too far"),
            (
                ("--sweeps", "0", "--epoch", "1"),
                "--epoch 1: with --sweeps endless the first epoch has no",
            ),
            (("--sample", "-1"), "--sample takes a whole number of 0 or more"),
            (("--seed", "1", "--sample", "1"), "--seed: --order file has no seed"),
        ):
            with self.subTest(arguments):
                error = self.refused(
                    "position", "seek", self.path, *STREAMS, *arguments, "--output", self.at
                )
                self.assertIn(message, error)
                self.assertFalse(Path(self.at).exists())
        self.assertIn(
            "--output is required", self.refused("position", "seek", DIGITS, *DIGITS_STREAMS)
        )


if __name__ == "__main__":
    unittest.main()
