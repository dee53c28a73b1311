"""`sheaf convert`: the content and the names of the files, and the messages."""

import json
import os
import subprocess
import unittest
from pathlib import Path

from command import (
    BAD_DATA,
    BAD_USAGE,
    DIGITS,
    DIGITS_STREAMS,
    GOOD,
    SHEAF,
    TIMEOUT_SECONDS,
    CommandTest,
    Result,
)

STREAMS = ("--stream", "a:dense:2", "--stream", "b:sparse:9")

# Sequences of several lengths, with keys that do not ascend; streams of different lengths; empty
# sparse samples.
DATA = "".join(
    "".join(
        f"{i * 7 % 600} |a {i} {row}.5" + (f" |b {row % 9}:{i + 1}\n" if row % 2 else " |b\n")
        for row in range(1 + i % 4)
    )
    + (f"{i * 7 % 600} |a 7 7\n" if i % 3 == 0 else "")
    for i in range(600)
)
SEQUENCES = 600


class ConvertTest(CommandTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(DATA)
        self.out = str(self.folder / "out.ctf")

    def convert(self, *arguments: str) -> Result:
        return self.run_sheaf("convert", self.data, *STREAMS, *arguments)

    def report(self, *arguments: str) -> dict:
        return self.good_json("convert", self.data, self.out, *STREAMS, "--json", *arguments)

    def checksum(self, path: str, *arguments: str) -> int:
        arguments = arguments or STREAMS
        report = self.good_json("read", path, *arguments, "--format", "none", "--json")
        return int(report["checksum"], 16)

    def keys(self, path: str, *arguments: str) -> list[int | str]:
        lines = self.good("read", path, *STREAMS, "--format", "keys", *arguments).splitlines()
        return [key for line in lines for key in json.loads(line)["keys"]]

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}


class NoExtensionTest(ConvertTest):
    def test_the_output_is_a_container_that_every_verb_reads(self) -> None:
        out, named = str(self.folder / "out"), str(self.folder / "named.sheaf")
        line = self.good("convert", self.data, out, *STREAMS)
        self.assertTrue(line.startswith(f"{out}: sequences {SEQUENCES}, "), line)
        self.good("convert", self.data, named, *STREAMS)
        self.assertEqual(Path(named).read_bytes(), Path(out).read_bytes())
        for verb in ("read", "head", "check", "stat"):
            with self.subTest(verb):
                expected = self.good(verb, named)
                self.assertEqual(expected.replace(named, out), self.good(verb, out))
        self.assertEqual(self.checksum(self.data), self.checksum(out))
        back = self.good_json("convert", out, self.out, "--json")
        self.assertEqual(SEQUENCES, back["files"][0]["sequences"])
        self.assertEqual(self.checksum(self.data), self.checksum(self.out))

    def test_shards_are_read_by_a_pattern(self) -> None:
        self.good("convert", self.data, str(self.folder / "out"), *STREAMS, "--shards", "2")
        self.assertEqual({"data.ctf", "out-00000-of-00002", "out-00001-of-00002"}, self.names())
        self.assertEqual(self.checksum(self.data), self.checksum(str(self.folder / "out-*")))

    def test_an_existing_file_is_replaced_only_by_option(self) -> None:
        out = self.write("what was there", "out")
        message = self.refused("convert", self.data, out, *STREAMS)
        self.assertIn(f"{out}: exists already", message)
        self.assertEqual("what was there", Path(out).read_text(encoding="utf-8"))
        self.good("convert", self.data, out, *STREAMS, "--overwrite")
        self.assertEqual(self.checksum(self.data), self.checksum(out))

    def test_a_folder_and_an_unknown_extension_are_refused(self) -> None:
        (self.folder / "out").mkdir()
        for name in ("out", "out.cft", "out.", ".out.cft"):
            with self.subTest(name):
                result = self.convert(str(self.folder / name))
                self.assertNotEqual(GOOD, result.returncode)
                self.assertIn(f"{self.folder / name}: ", result.stderr)
        self.assertEqual({"data.ctf", "out"}, self.names())

    def test_text_needs_an_extension_or_a_format_option(self) -> None:
        path = self.write(DATA, "text")
        message = self.refused("check", path)
        self.assertIn("the first bytes do not tell it for certain; give it by the", message)
        self.assertIn("; its first bytes look like ctf (", message)
        self.assertEqual(
            self.checksum(self.data), self.checksum(path, *STREAMS, "--data-format", "ctf")
        )


class WholeTest(ConvertTest):
    def test_every_sequence_is_written(self) -> None:
        line = self.good("convert", self.data, self.out, *STREAMS)
        size = Path(self.out).stat().st_size
        samples = sum(1 + i % 4 + (i % 3 == 0) for i in range(SEQUENCES))
        self.assertEqual(
            f"{self.out}: sequences {SEQUENCES}, samples {samples}, {size} bytes\n", line
        )
        self.assertEqual(self.checksum(self.data), self.checksum(self.out))
        self.assertEqual(self.keys(self.data), self.keys(self.out))
        self.assertEqual({"data.ctf", "out.ctf"}, self.names())

    def test_threads_chunks_and_memory_do_not_change_the_bytes(self) -> None:
        self.good("convert", self.data, self.out, *STREAMS)
        expected = Path(self.out).read_bytes()
        for arguments in (
            ["--threads", "1"],
            ["--threads", "2"],
            ["--threads", "8"],
            ["--in-chunk-bytes", "1000"],
            ["--in-chunk-bytes", "1", "--threads", "3"],
            ["--memory-limit", "3MiB"],
        ):
            with self.subTest(arguments):
                self.good("convert", self.data, self.out, *STREAMS, *arguments, "--overwrite")
                self.assertEqual(expected, Path(self.out).read_bytes())

    def test_streams_are_found(self) -> None:
        digits = str(self.folder / "digits.ctf")
        result = self.run_sheaf("convert", DIGITS, digits)
        self.assertEqual(GOOD, result.returncode, result.stderr)
        self.assertIn("streams found: --stream labels:sparse:10 --stream", result.stderr)
        self.assertEqual(
            self.checksum(DIGITS, *DIGITS_STREAMS), self.checksum(digits, *DIGITS_STREAMS)
        )

    def test_streams_are_chosen_and_named(self) -> None:
        self.good("convert", self.data, self.out, *STREAMS, "--streams", "b=B,a")
        first = self.good_json("head", self.out, "-n", "1", "--json", "--stream", "B:sparse:9",
                               "--stream", "a:dense:2")  # fmt: skip
        self.assertEqual({"B": [[]], "a": [[0, 0.5], [7, 7]]}, first["streams"])
        found = self.run_sheaf("head", self.out, "-n", "1").stderr
        self.assertIn("--stream B:sparse:4 --stream a:dense:2", found)
        self.good("convert", self.data, self.out, *STREAMS, "--streams", "a", "--overwrite")
        self.assertNotIn("|b", Path(self.out).read_text())
        for value, message in (
            ("a,c", '--streams: there is no stream "c"; there are: a, b'),
            ("a,a", 'two streams would be written as "a"'),
            ("a=x,b=x", 'two streams would be written as "x"'),
        ):
            with self.subTest(value):
                result = self.convert(str(self.folder / "no.ctf"), "--streams", value)
                self.assertEqual(BAD_USAGE, result.returncode)
                self.assertIn(message, result.stderr)
        self.assertNotIn("no.ctf", self.names())

    def test_keys_may_be_texts(self) -> None:
        path = self.write("x1 |a 1 2 |b\nx1 |a 2 2\n007 |a 3 2 |b 1:1\n", "texts.ctf")
        self.good("convert", path, self.out, *STREAMS, "--keys", "text")
        self.assertEqual(["x1", "007"], self.keys(self.out, "--keys", "text"))

    def test_double_precision_keeps_large_numbers(self) -> None:
        path = self.write("0 |a 0.1 1e300\n", "double.ctf")
        self.good("convert", path, self.out, *STREAMS[:2], "--precision", "double")
        self.assertIn("0.1 1e+300", Path(self.out).read_text().replace("1e300", "1e+300"))
        result = self.run_sheaf("convert", path, self.out, *STREAMS[:2], "--overwrite")
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("[ctf-number-range]", result.stderr)


class OrderTest(ConvertTest):
    def test_the_order_is_the_one_of_read(self) -> None:
        for order in (
            ["--order", "keyed"],
            ["--order", "keyed", "--seed", "7"],
            ["--order", "cntk", "--seed", "7", "--window-chunks", "2"],
            ["--order", "cntk", "--window-samples", "50"],
        ):
            with self.subTest(order):
                self.good(
                    "convert", self.data, self.out, *STREAMS, "--in-chunk-bytes", "2000", *order,
                    "--overwrite",
                )  # fmt: skip
                expected = self.keys(self.data, "--chunk-bytes", "2000", *order)
                self.assertEqual(expected, self.keys(self.out))
                self.assertNotEqual(self.keys(self.data), expected)
                self.assertEqual(self.checksum(self.data), self.checksum(self.out))
                bytes_before = Path(self.out).read_bytes()
                self.good(
                    "convert", self.data, self.out, *STREAMS, "--in-chunk-bytes", "2000", *order,
                    "--threads", "1", "--overwrite",
                )  # fmt: skip
                self.assertEqual(bytes_before, Path(self.out).read_bytes())

    def test_only_an_order_that_shuffles_has_a_seed(self) -> None:
        self.assertIn(
            "--seed: --order file has no seed",
            self.refused("convert", self.data, self.out, *STREAMS, "--seed", "7"),
        )


class ShardsTest(ConvertTest):
    def paths(self, count: int) -> list[str]:
        return [str(self.folder / f"out-{i:05}-of-{count:05}.ctf") for i in range(count)]

    def test_each_shard_has_the_sequences_that_begin_in_its_samples(self) -> None:
        lengths = [1 + i % 4 + (i % 3 == 0) for i in range(SEQUENCES)]
        keys = [i * 7 % 600 for i in range(SEQUENCES)]
        total = sum(lengths)
        for count in (1, 3, 20):
            with self.subTest(count):
                report = self.report("--shards", str(count))
                self.assertEqual(self.paths(count), [each["path"] for each in report["files"]])
                expected: list[list[int]] = [[] for _ in range(count)]
                samples = [0] * count
                begin = 0
                for key, length in zip(keys, lengths, strict=True):
                    shard = max(k for k in range(count) if k * total // count <= begin)
                    expected[shard].append(key)
                    samples[shard] += length
                    begin += length
                self.assertEqual(samples, [each["samples"] for each in report["files"]])
                self.assertEqual((SEQUENCES, total), (report["sequences"], report["samples"]))
                for path, shard_keys in zip(self.paths(count), expected, strict=True):
                    self.assertEqual(shard_keys, self.keys(path))
                whole = sum(map(self.checksum, self.paths(count))) % 2**64
                self.assertEqual(self.checksum(self.data), whole)
                for path in self.paths(count):
                    os.unlink(path)
        self.assertEqual({"data.ctf"}, self.names())

    def test_shards_count_samples_of_the_stream_that_defines_the_size(self) -> None:
        text = "0 |a 1\n0 |b 1\n0 |b 1\n0 |b 1\n1 |a 1 |b 1\n2 |a 1 |b 1\n3 |a 1 |b 1\n"
        path = self.write(text, "mb.ctf")
        streams = ("--stream", "a:dense:1:mb", "--stream", "b:dense:1")
        report = self.good_json("convert", path, self.out, *streams, "--json", "--shards", "2")
        self.assertEqual([2, 2], [each["sequences"] for each in report["files"]])
        self.assertEqual([2, 2], [each["samples"] for each in report["files"]])
        report = self.good_json("convert", path, self.out, "--json", "--shards", "2", "--overwrite")
        self.assertEqual([1, 3], [each["sequences"] for each in report["files"]])
        self.assertEqual([3, 3], [each["samples"] for each in report["files"]])

    def test_bad_sequences_make_their_shard_smaller(self) -> None:
        rows = [f"{i} |a {i} 1\n" for i in range(12)]
        rows[2] = "2 |a x 1\n"
        path = self.write("".join(rows), "holes.ctf")
        report = self.good_json(
            "convert", path, self.out, *STREAMS[:2], "--json", "--shards", "3", "--max-errors", "1"
        )
        self.assertEqual([4, 4, 3], [each["sequences"] for each in report["files"]])
        self.assertEqual((1, 1), (report["holes"], report["places"]))

    def test_shards_follow_the_order_of_the_run(self) -> None:
        order = ("--order", "keyed", "--seed", "3")
        self.report("--shards", "3", *order)
        keys = [key for path in self.paths(3) for key in self.keys(path)]
        self.assertEqual(self.keys(self.data, *order), keys)

    def test_shards_that_would_be_empty_are_refused(self) -> None:
        path = self.write("0 |a 1 2\n" * 10 + "1 |a 1 2\n", "long.ctf")
        for count, message in (
            ("3", "--shards 3: no sequence begins among the samples of shard 1, 3 to 6 of 11;"),
            ("12", "--shards 12: there are only 11 samples"),
        ):
            with self.subTest(count):
                result = self.run_sheaf("convert", path, self.out, *STREAMS[:2], "--shards", count)
                self.assertEqual(BAD_USAGE, result.returncode)
                self.assertIn(message, result.stderr)
                self.assertEqual({"data.ctf", "long.ctf"}, self.names())


class SplitTest(ConvertTest):
    def test_a_split_depends_on_the_key_alone(self) -> None:
        # From another implementation of XXH3, over the 16 bytes of each key: times 10^9 over 2^64.
        fractions = {0: 815039300, 1: 152139728, 2: 800039940, 318: 53293551}
        report = self.report("--split", "train=0.8,dev=0.1,test=0.1")
        parts = [str(self.folder / f"out.{name}.ctf") for name in ("train", "dev", "test")]
        self.assertEqual(parts, [each["path"] for each in report["files"]])
        keys = [self.keys(part) for part in parts]
        for key, fraction in fractions.items():
            expected = 0 if fraction < 800_000_000 else 1 if fraction < 900_000_000 else 2
            self.assertIn(key, keys[expected])
        self.assertEqual(SEQUENCES, sum(map(len, keys)))
        self.assertEqual([len(part) for part in keys], [f["sequences"] for f in report["files"]])
        whole = sum(map(self.checksum, parts)) % 2**64
        self.assertEqual(self.checksum(self.data), whole)
        in_file_order = self.keys(self.data)
        for part in keys:
            self.assertEqual([key for key in in_file_order if key in set(part)], part)

        # Neither the other sequences nor the order change the part of a sequence.
        rows = DATA.splitlines(keepends=True)
        path = self.write("".join(rows[len(rows) // 2 :]), "half.ctf")
        half = str(self.folder / "half-out.ctf")
        self.good("convert", path, half, *STREAMS, "--split", "train=0.8,dev=0.1,test=0.1",
                  "--order", "keyed")  # fmt: skip
        for name, part in zip(("train", "dev", "test"), keys, strict=True):
            self.assertLessEqual(set(self.keys(half.replace(".ctf", f".{name}.ctf"))), set(part))

    def test_wrong_splits_and_shards_are_refused(self) -> None:
        for arguments, message in (
            (["--split", "a=0.5,b=0.4"], "shares add up to 1, these to 0.900000000"),
            (["--split", "a=1", "--shards", "2"], "--shards and --split both divide"),
            (["--split", "a=0.999999999,b=0.000000001"], '--split: no sequence falls to "b"'),
            (["--shards", "0"], "--shards takes a whole number from 1 to 99999"),
        ):
            with self.subTest(arguments):
                result = self.convert(self.out, *arguments)
                self.assertEqual((BAD_USAGE, ""), (result.returncode, result.stdout))
                self.assertIn(message, result.stderr)
        self.assertEqual({"data.ctf"}, self.names())


class SelectionTest(ConvertTest):
    def test_sequences_are_selected_by_key(self) -> None:
        keys = self.write("21\n\n  7 \n599\n1000\n", "keys.txt")
        report = self.report("--select-keys", keys)
        self.assertEqual([7, 21, 599], sorted(self.keys(self.out)))
        self.assertEqual(3, report["sequences"])
        self.assertEqual(["convert-missing-keys"], [each["code"] for each in report["warnings"]])
        self.assertIn("none for the key 1000", report["warnings"][0]["text"])

    def test_sequences_are_selected_by_length(self) -> None:
        report = self.report("--min-length", "2", "--max-length", "4", "--json")
        lengths = [1 + i % 4 + (i % 3 == 0) for i in range(SEQUENCES)]
        chosen = [length for length in lengths if 2 <= length <= 4]
        self.assertEqual((len(chosen), sum(chosen)), (report["sequences"], report["samples"]))

    def test_a_share_is_the_first_part_of_a_split(self) -> None:
        self.report("--split", "a=0.2,b=0.8")
        self.report("--select-share", "0.2")
        part = self.folder / "out.a.ctf"
        self.assertEqual(part.read_text(), Path(self.out).read_text())

    def test_wrong_selections_are_refused(self) -> None:
        texts = self.write("7\nnot a number\n", "texts.txt")
        for arguments, message in (
            (
                ["--select-share", "0"],
                "error: --select-share 0: a share is a decimal number above 0",
            ),
            (
                ["--min-length", "3", "--max-length", "2"],
                "--max-length 2: less than --min-length 3",
            ),
            (["--min-length", "99"], "error: selected: no sequence of the data is selected"),
            (["--select-keys", texts], "--select-keys: the keys of the data are numbers"),
        ):
            with self.subTest(arguments):
                result = self.convert(self.out, *arguments)
                self.assertEqual((BAD_USAGE, ""), (result.returncode, result.stdout))
                self.assertIn(message, result.stderr)
        self.assertEqual({"data.ctf", "texts.txt"}, self.names())


class ReportTest(ConvertTest):
    def test_bad_sequences_are_listed_in_the_report(self) -> None:
        path = self.write("0 |a 1 2\n1 |a x 2\n2 |a 3 4\n2 |a 3 4 5\n3 |a 1 1\n", "bad.ctf")
        result = self.run_sheaf("convert", path, self.out, *STREAMS[:2], "--max-errors", "1")
        self.assertEqual((BAD_DATA, ""), (result.returncode, result.stdout))
        self.assertIn(f"{path}:4:10: error: ", result.stderr)
        self.assertEqual({"data.ctf", "bad.ctf"}, self.names())

        report_path = str(self.folder / "report.json")
        arguments = ("convert", path, self.out, *STREAMS[:2], "--max-errors", "2")
        result = self.run_sheaf(*arguments, "--report", report_path)
        self.assertEqual(GOOD, result.returncode, result.stderr)
        self.assertIn(f"{path}:2:6: error: ", result.stderr)
        self.assertIn("sheaf: left out 2 sequences, for 2 errors\n", result.stderr)
        report = json.loads(Path(report_path).read_text())
        size = Path(self.out).stat().st_size
        self.assertEqual(
            [{"path": self.out, "bytes": size, "sequences": 2, "samples": 2}], report["files"]
        )
        self.assertEqual(
            (path, size, 2, 2, 2, 2),
            tuple(report[k] for k in ("input", "bytes", "sequences", "samples", "holes", "places")),
        )
        self.assertEqual(
            [("1", "ctf-number"), ("2", "ctf-many-values")],
            [(each["sequence_key"], each["code"]) for each in report["diagnostics"]],
        )
        self.assertEqual([], report["warnings"])
        self.assertEqual(
            Path(report_path).read_text(), self.good(*arguments, "--json", "--overwrite")
        )
        lines = self.good("read", self.out, *STREAMS[:2], "--format", "keys").splitlines()
        self.assertEqual([0, 3], [key for line in lines for key in json.loads(line)["keys"]])

    def test_warnings_of_the_data_are_reported(self) -> None:
        result = self.run_sheaf("convert", self.data, self.out, *STREAMS[:2], "--json")
        report = json.loads(result.stdout)
        self.assertEqual(["ctf-unknown-stream"], [each["code"] for each in report["warnings"]])
        self.assertIn("[ctf-unknown-stream]", result.stderr)


class CbfTest(ConvertTest):
    """CBF has chunks, no keys, and its own types of values."""

    def setUp(self) -> None:
        super().setUp()
        rows = DATA.splitlines(keepends=True)
        keys = [i for i in range(SEQUENCES) for _ in range(1 + i % 4 + (i % 3 == 0))]
        text = "".join(
            f"{key} {row.split(maxsplit=1)[1]}" for key, row in zip(keys, rows, strict=True)
        )
        self.numbered = self.write(text, "numbered.ctf")  # keys 0, 1, 2, ...
        self.cbf = str(self.folder / "out.cbf")

    def bytes_of(self, *arguments: str) -> bytes:
        result = self.run_sheaf("convert", *arguments, "--missing-streams", "allow", "--overwrite")
        self.assertEqual(GOOD, result.returncode, result.stderr)
        self.assertNotIn("warning", result.stderr)
        return Path(arguments[1]).read_bytes()

    def test_text_to_cbf_and_back_keeps_every_byte(self) -> None:
        for chunk in ("1", "1000", "33554432"):
            with self.subTest(chunk):
                cbf = self.bytes_of(self.numbered, self.cbf, *STREAMS, "--chunk-bytes", chunk)
                text = self.bytes_of(self.cbf, self.out)
                again = self.bytes_of(self.out, self.cbf, *STREAMS, "--chunk-bytes", chunk)
                self.assertEqual(cbf, again)
                self.assertEqual(text, self.bytes_of(self.cbf, self.out))
                self.assertEqual(self.checksum(self.numbered), self.checksum(self.out))

    def test_threads_and_memory_do_not_change_the_bytes(self) -> None:
        expected = self.bytes_of(self.numbered, self.cbf, *STREAMS, "--chunk-bytes", "5000")
        for arguments in (
            ["--threads", "1"],
            ["--threads", "8"],
            ["--memory-limit", "3MiB"],
        ):
            with self.subTest(arguments):
                again = self.bytes_of(
                    self.numbered, self.cbf, *STREAMS, "--chunk-bytes", "5000", *arguments
                )
                self.assertEqual(expected, again)

    def test_chunks_end_where_chunks_of_the_input_end(self) -> None:
        arguments = ["--in-chunk-bytes", "1000", "--chunk-bytes", "1000000"]
        for name in ("out.cbf", "out.sheaf"):
            out = str(self.folder / name)
            self.bytes_of(self.numbered, out, *STREAMS, *arguments)
            read = Path(out).read_bytes()
            for threads in ("1", "8"):
                again = self.bytes_of(
                    self.numbered, out, *STREAMS, *arguments, "--threads", threads
                )
                self.assertEqual(read, again)
            self.assertEqual(self.checksum(self.numbered), self.checksum(out))
            read = ["--missing-streams", "allow", "--json"]
            chunks = self.good_json(
                "order", self.numbered, *STREAMS, "--chunk-bytes", "1000", *read
            )["chunks"]
            self.assertGreater(chunks, 5)
            self.assertEqual(chunks, self.good_json("order", out, *read)["chunks"])

    def test_lost_keys_are_a_warning(self) -> None:
        for path, arguments, message in (
            (self.data, [], "out.cbf: warning: expected keys 0, 1, 2, ... in the order "
             "written, since cbf keeps none, found 7 of sequence 1 [convert-keys]"),
            (self.numbered, ["--shards", "2"], "out-00001-of-00002.cbf: warning: "),
            (self.numbered, ["--split", "a=0.5,b=0.5"], "found 1 of sequence 0 [convert-keys]"),
            (self.numbered, ["--keys", "text"], "found 0 of sequence 0 [convert-keys]"),
            (self.numbered, ["--order", "keyed"], "[convert-keys]"),
        ):  # fmt: skip
            with self.subTest(arguments):
                result = self.run_sheaf(
                    "convert", path, self.cbf, *STREAMS, *arguments, "--json", "--overwrite"
                )
                self.assertEqual(GOOD, result.returncode, result.stderr)
                self.assertIn(message, result.stderr)
                warnings = json.loads(result.stdout)["warnings"]
                self.assertEqual(["convert-keys"], [each["code"] for each in warnings])
        self.assertNotIn(
            "warning",
            self.run_sheaf("convert", self.numbered, self.cbf, *STREAMS, "--overwrite").stderr,
        )

    def test_values_out_of_range_of_float32_are_counted(self) -> None:
        path = self.write("0 |a 0.1 1e300\n1 |a -1e39 2\n", "double.ctf")
        self.bytes_of(path, self.cbf, *STREAMS[:2], "--precision", "double")
        small = str(self.folder / "float.cbf")
        result = self.run_sheaf("convert", self.cbf, small, "--precision", "float")
        self.assertEqual(GOOD, result.returncode, result.stderr)
        self.assertIn("expected values that 32-bit floats hold, found 2 that became infinite "
                      "[convert-range]", result.stderr)  # fmt: skip
        self.assertLess(Path(small).stat().st_size, Path(self.cbf).stat().st_size)
        same = str(self.folder / "same.cbf")
        for arguments in ([], ["--precision", "double"]):
            with self.subTest(arguments):
                self.assertEqual(
                    Path(self.cbf).read_bytes(), self.bytes_of(self.cbf, same, *arguments)
                )

    def test_a_memory_limit_must_hold_two_chunks_of_each_file(self) -> None:
        error = self.run_sheaf(
            "convert", self.numbered, self.cbf, *STREAMS, "--memory-limit", "64MiB"
        )
        self.assertEqual(
            (
                BAD_USAGE,
                "sheaf: error: --memory-limit: 67108864 bytes leave nothing to read with: what is "
                "written keeps 67108864 bytes, twice --chunk-size for each file under way\n",
            ),
            (error.returncode, error.stderr),
        )
        parts = ("--split", "a=0.5,b=0.5", "--memory-limit", "128MiB")
        error = self.run_sheaf("convert", self.numbered, self.cbf, *STREAMS, *parts)
        self.assertIn("what is written keeps 134217728 bytes", error.stderr)
        self.good("convert", self.numbered, self.cbf, *STREAMS, *parts, "--chunk-bytes", "16MiB")
        self.good("convert", self.numbered, self.out, *STREAMS, "--memory-limit", "64MiB")


class StandardStreamsTest(ConvertTest):
    def pipe(self, data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [SHEAF, "convert", *arguments], input=data, capture_output=True, check=False,
            timeout=TIMEOUT_SECONDS,
        )  # fmt: skip

    def test_text_is_read_and_written_through_pipes(self) -> None:
        self.good("convert", self.data, self.out, *STREAMS)
        expected = Path(self.out).read_bytes()
        result = self.pipe(DATA.encode(), "-", "-", "--from", "ctf", "--to", "ctf", *STREAMS)
        self.assertEqual((GOOD, expected), (result.returncode, result.stdout), result.stderr)
        self.assertIn(b"-: sequences 600, ", result.stderr)
        result = self.pipe(DATA.encode(), "-", self.out, "--from", "ctf", *STREAMS, "--overwrite")
        self.assertEqual(GOOD, result.returncode, result.stderr)
        self.assertEqual(expected, Path(self.out).read_bytes())
        self.assertEqual({"data.ctf", "out.ctf"}, self.names())

    def test_errors_of_a_pipe_name_standard_input(self) -> None:
        result = self.pipe(b"0 |a 1 x\n", "-", self.out, "--from", "ctf", *STREAMS[:2])
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn(b"standard input:1:8: error: ", result.stderr)

    def test_a_closed_standard_output_is_no_error(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        process = subprocess.run(
            [SHEAF, "convert", self.data, "-", "--to", "ctf", *STREAMS],
            stdout=writer, stderr=subprocess.PIPE, check=False, timeout=TIMEOUT_SECONDS,
        )  # fmt: skip
        os.close(writer)
        self.assertEqual((GOOD, b""), (process.returncode, process.stderr))

    def test_a_full_standard_output_is_an_error(self) -> None:
        with open("/dev/full", "wb") as full:
            process = subprocess.run(
                [SHEAF, "convert", self.data, "-", "--to", "ctf", *STREAMS],
                stdout=full, stderr=subprocess.PIPE, check=False, timeout=TIMEOUT_SECONDS,
            )  # fmt: skip
        self.assertEqual(BAD_DATA, process.returncode)
        self.assertIn(b"standard output cannot be written: No space left", process.stderr)

    def test_wrong_uses_of_standard_streams_are_refused(self) -> None:
        for arguments, message in (
            (["-", self.out], "IN is standard input, whose name tells no format: --from does"),
            ([self.data, "-"], "OUT is standard output, whose name tells no format: --to does"),
            ([self.data, "-", "--to", "ctf", "--json"], "--json: the data go to standard output"),
            ([self.data, "-", "--to", "ctf", "--shards", "2"], "--shards and --split write files"),
            ([self.data, "-", "--to", "ctf", "--split", "a=1"], "--shards and --split write files"),
            ([self.data, self.out, "--report", "-"], "--report takes the name of a file"),
            ([self.data, "/dev/stdout", "--to", "ctf"], "OUT /dev/stdout: - stands for standard"),
        ):
            with self.subTest(arguments):
                self.assertIn(message, self.refused("convert", *arguments, *STREAMS))


class RefusedTest(ConvertTest):
    def test_names_that_cbf_cannot_hold_are_refused(self) -> None:
        too_long = b"n" * ((1 << 20) + 1)
        no_utf8 = b"\xff\xfe"
        for name, streams, reason in (
            (
                no_utf8,
                ["--stream", f"{os.fsdecode(no_utf8)}:dense:1"],
                "cbf.names=utf-8 writes names that are UTF-8, which this one is not",
            ),
            (too_long, [], "names in cbf have at most 1048576 bytes, got 1048577"),
        ):
            data = self.write(b"0 |" + name + b" 1\n", "names.ctf")
            out = self.folder / "names.cbf"
            result = self.run_sheaf(
                "convert", data, str(out), *streams, "--out-option", "cbf.names=utf-8"
            )
            self.assertEqual(BAD_USAGE, result.returncode)
            self.assertIn(reason, result.stderr)
            self.assertEqual([], list(self.folder.glob("names.cbf*")))

    def test_output_files_that_would_do_harm_are_refused(self) -> None:
        os.symlink(self.data, self.folder / "link.ctf")
        os.link(self.data, self.folder / "twin.ctf")
        folder = self.folder / "folder.ctf"
        folder.mkdir()
        os.mkfifo(self.folder / "pipe.ctf")
        for name, message in (
            ("data.ctf", "is the file that is read; write another one"),
            ("link.ctf", "is the file that is read; write another one"),
            ("twin.ctf", "is the file that is read; write another one"),
            ("folder.ctf", "cannot be written: not a regular file but a directory"),
            ("pipe.ctf", "cannot be written: not a regular file but a pipe"),
        ):
            with self.subTest(name):
                path = str(self.folder / name)
                for more in ([], ["--overwrite"]):
                    error = self.refused("convert", self.data, path, *STREAMS, *more)
                    self.assertIn(f"{path}: {message}", error)
        out = self.write("before", "out-00001-of-00002.ctf")
        os.unlink(out)
        os.link(self.data, out)
        self.assertIn(
            f"{out}: is the file that is read",
            self.refused("convert", self.data, self.out, *STREAMS, "--shards", "2"),
        )
        self.assertIn(
            "--report",
            self.refused("convert", self.data, self.out, *STREAMS, "--report", self.out),
        )
        self.assertIn(
            f"{self.data}: is the file that is read",
            self.refused("convert", self.data, self.out, *STREAMS, "--report", self.data),
        )
        self.assertEqual(DATA, Path(self.data).read_text())

    def test_missing_folders_are_errors(self) -> None:
        for folder, reason in (
            ("none", "No such file or directory"),
            ("data.ctf", "Not a directory"),
        ):
            for arguments in (
                [str(self.folder / folder / "out.ctf")],
                [self.out, "--report", str(self.folder / folder / "out.ctf")],
            ):
                with self.subTest(arguments):
                    result = self.convert(*arguments)
                    self.assertEqual((BAD_DATA, ""), (result.returncode, result.stdout))
                    self.assertEqual(
                        f"sheaf: error: {self.folder / folder}/out.ctf: cannot create: {reason}\n",
                        result.stderr,
                    )
        self.assertEqual({"data.ctf"}, self.names())

    def test_wrong_arguments_are_refused(self) -> None:
        for arguments, message in (
            ([], "IN is required"),
            ([self.data], "OUT is required"),
            ([self.data, "out.xyz"], "out.xyz: the name does not tell the format"),
            ([self.data, "out.xyz", "--to", "abc"], 'format: "abc" is not one of ctf'),
            ([self.data, self.out, "--from", "abc"], 'format: "abc" is not one of ctf'),
            ([self.data, self.out, "--out-option", "x"], '--out-option takes KEY=VALUE: got "x"'),
            ([self.data, self.out, "--out-option", "x=1"], '"x"'),
            ([self.data, self.out, "--chunk-bytes", "0"], "--chunk-size takes a number of bytes"),
            ([self.data, self.out, "--in-chunk-bytes", "0"], "--in-chunk-size takes a number"),
            ([self.data, self.out, "--worker", "0/2"], "there is no option --worker"),
            ([self.data, self.out, "--memory-limit", "2MiB"], "of the 2097152 bytes of"),
        ):
            with self.subTest(arguments):
                self.assertIn(message, self.run_sheaf("convert", *arguments).stderr)
                self.assertEqual(BAD_USAGE, self.run_sheaf("convert", *arguments).returncode)
        self.assertEqual({"data.ctf"}, self.names())

    def test_hints_name_options_of_convert(self) -> None:
        path = self.write("x,y\n1,\n2,3\n", "data.csv")
        hint = "--format-option csv.missing=absent"
        table = str(self.folder / "out.arrow")
        self.assertIn(hint, self.run_sheaf("convert", path, table).stderr)
        self.good("convert", path, table, *hint.split())
        text = str(self.folder / "several.ctf")
        self.write("0 |x 1\n0 |x 2\n", "several.ctf")
        rows = str(self.folder / "rows.csv")
        hint = "--out-option csv.key=NAME"
        self.assertIn(hint, self.run_sheaf("convert", text, rows).stderr)
        self.good("convert", text, rows, *hint.split())
        both = ("--in-option", "csv.key=NAME", "--format-option", "csv.header=yes")
        self.good("convert", rows, str(self.folder / "again.ctf"), *both)


if __name__ == "__main__":
    unittest.main()
