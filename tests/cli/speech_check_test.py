"""`sheaf check` of speech, alone and joined; numeric keys; labels stored as features."""

from __future__ import annotations

import json
import math
import struct
import unittest
from collections.abc import Sequence

from command import BAD_DATA, GOOD, CommandTest

Frames = Sequence[Sequence[float]]


def lattice(frames: int) -> bytes:
    """Returns a lattice with a node at the first and the last frame, and without edges."""
    head = struct.pack("<IIffdII", 2, 0, -1.0, 0.0, 0.01, frames, 0)
    nodes = b"NODS" + struct.pack("<i2H", 2, 0, frames)
    edges = b"EDGS" + struct.pack("<i", 0)
    return b"LAT " + struct.pack("<i", 2) + head + nodes + edges + b"ALNS\0\0\0\0END "


class SpeechTest(CommandTest):
    def write_htk(self, name: str, frames: Frames) -> str:
        values = [value for frame in frames for value in frame]
        head = struct.pack(">iihh", len(frames), 100_000, 4 * len(frames[0]), 9)
        return self.write(head + struct.pack(f">{len(values)}f", *values), name)

    def write_features(self, counts: dict[str, int], name: str = "x") -> str:
        """Writes utterances of so many frames to one file, and a list of them in this order."""
        total = sum(counts.values())
        path = self.write_htk(f"{name}.htk", [[float(i), 1.0] for i in range(total)])
        lines, first = [], 0
        for key, count in counts.items():
            lines.append(f"{key}.mfc={path}[{first},{first + count - 1}]\n")
            first += count
        return self.write("".join(lines), f"{name}.scp")

    def write_labels(self, labels: dict[str, Sequence[int]], name: str = "l") -> str:
        text = "#!MLF!#\n"
        for key, ids in labels.items():
            text += f'"{key}.lab"\n'
            text += "".join(f"{t} {t + 1} s {each}\n" for t, each in enumerate(ids)) + ".\n"
        return self.write(text, f"{name}.mlf")

    def write_lattices(self, frames: dict[str, int], name: str = "g") -> str:
        archive = self.write(b"".join(lattice(count) for count in frames.values()), f"{name}.bin")
        offset, text = 0, ""
        for key, count in frames.items():
            text += f"{key}={archive}[{offset}]\n"
            offset += len(lattice(count))
        return self.write(text, f"{name}.toc")

    def found(self, *arguments: str) -> tuple[int, dict]:
        """Returns the exit status and the output of --json."""
        result = self.run_sheaf("check", *arguments, "--json")
        return result.returncode, json.loads(result.stdout)


class CheckSpeech(SpeechTest):
    def test_good_data_have_no_warnings(self) -> None:
        counts = {"a": 3, "b": 2}
        joined = (
            *("--join", self.write_labels({"b": [0, 1], "a": [2, 2, 0]})),
            *("--join", self.write_lattices({"a": 3, "b": 2}), "--keys", "text"),
        )
        status, report = self.found(self.write_features(counts), *joined)
        self.assertEqual(GOOD, status)
        self.assertEqual((2, 0, 0, 0), tuple(self.counts(report)))
        self.assertEqual([], report["length_differences"])

    def counts(self, report: dict) -> list[int]:
        return [report[name] for name in ("sequences", "holes", "places", "warning_places")]

    def test_a_range_beyond_its_file_is_reported_with_its_line(self) -> None:
        features = self.write_features({"a": 3, "b": 2})
        path = str(self.folder / "x.htk")
        for last, status in ((4, GOOD), (5, BAD_DATA)):
            listed = self.write(f"a={path}[0,2]\nb={path}[3,{last}]\n", "x.scp")
            self.assertEqual(features, listed)
            got, report = self.found(features)
            self.assertEqual(status, got)
            if status == GOOD:
                continue
            self.assertEqual([1, 1, 1, 0], self.counts(report))
            (diagnostic,) = report["diagnostics"]
            self.assertEqual(
                (features, 2, "htk-range-end", "b"),
                tuple(diagnostic[each] for each in ("path", "line", "code", "sequence_key")),
            )
            self.assertIn("has 5 frames", diagnostic["found"])

    def test_a_folder_in_place_of_a_file_is_reported_with_its_line(self) -> None:
        features = self.write_features({"a": 3})
        (self.folder / "d").mkdir()
        self.write(f"a={self.folder / 'x.htk'}[0,2]\nb=.../d\nc={self.folder}\n", "x.scp")
        got, report = self.found(features)
        self.assertEqual(BAD_DATA, got)
        self.assertEqual({"htk-missing-file": 2}, self.codes(report))
        self.assertEqual([2, 3], [each["line"] for each in report["diagnostics"]])

    def test_missing_keys_are_reported_with_path_and_line(self) -> None:
        features = self.write_features({"a": 1, "b": 1, "c": 1})
        labels = self.write_labels({"d": [0], "b": [1], "e": [0]})
        status, report = self.found(features, "--join", labels)
        self.assertEqual(GOOD, status)
        self.assertEqual([1, 0, 0, 4], self.counts(report))
        self.assertEqual(2, report["warnings_by_code"]["join-missing"]["count"])
        self.assertEqual(2, report["warnings_by_code"]["join-unmatched"]["count"])
        named = [
            (each["path"], each["line"], each["sequence_key"])
            for each in report["warnings"]
            if each["sequence_key"]
        ]
        self.assertEqual(
            [(features, 1, "a"), (features, 3, "c"), (labels, 2, "d"), (labels, 8, "e")], named
        )
        text = self.run_sheaf("check", features, "--join", labels).stderr
        self.assertIn(f"{features}:1: warning: expected sequence a in {labels}, too", text)
        self.assertIn(f"{labels}:8: warning: expected sequence e in {features}, too", text)
        lattices = self.write_lattices({"b": 1, "f": 1})
        _, report = self.found(features, "--join", labels, "--join", lattices, "--keys", "text")
        unmatched = [
            each["sequence_key"]
            for each in report["warnings"]
            if each["code"] == "join-unmatched" and each["sequence_key"]
        ]
        self.assertEqual(["d", "e", "f"], unmatched)

    def test_ten_missing_keys_are_listed_and_all_are_counted(self) -> None:
        features = self.write_features({"a": 1})
        for count in (10, 11):
            others = {f"u{i}": [0] for i in range(count)}
            labels = self.write_labels({"a": [0], **others})
            _, report = self.found(features, "--join", labels)
            self.assertEqual(count, report["warnings_by_code"]["join-unmatched"]["count"])
            named = [each["sequence_key"] for each in report["warnings"] if each["sequence_key"]]
            self.assertEqual(list(others)[:10], named)

    def test_frames_that_differ_are_counted_by_how_much_and_how_many(self) -> None:
        features = self.write_features({"a": 5, "b": 5, "c": 5, "d": 5})
        labels = self.write_labels({"a": [0] * 5, "b": [0] * 4, "c": [1] * 4, "d": [0] * 7})
        status, report = self.found(features, "--join", labels)
        self.assertEqual(GOOD, status)
        self.assertEqual(
            [
                {"stream": "x", "sequences": 1, "largest": 2, "by_size": {"2": 1}},
                {"stream": "l", "sequences": 2, "largest": 1, "by_size": {"1": 2}},
            ],
            report["length_differences"],
        )
        text = self.good("check", features, "--join", labels)
        self.assertIn('stream "l": 2 sequences have fewer samples than their longest', text)
        strict = ("--lengths", "equal", "--length-tolerance", "1")
        status, report = self.found(features, "--join", labels, *strict)
        self.assertEqual(BAD_DATA, status)
        self.assertEqual({"join-length": 1}, self.codes(report))
        self.assertEqual("d", report["diagnostics"][0]["sequence_key"])
        for verb in (("read",), ("convert", "--overwrite")):
            out = [str(self.folder / "out.ctf")] if verb[0] == "convert" else []
            result = self.run_sheaf(*verb, features, *out, "--join", labels, *strict)
            self.assertEqual(BAD_DATA, result.returncode)
            self.assertIn("stopped at bad data; --max-errors tolerates it", result.stderr)
        self.good("read", features, "--join", labels, *strict, "--max-errors", "1")

    def codes(self, report: dict) -> dict[str, int]:
        return {code: kind["count"] for code, kind in report["by_code"].items()}

    def test_nan_and_infinity_are_warnings(self) -> None:
        good = [[0.0, 1.0]] * 2
        path = self.write_htk("x.htk", [*good, [math.nan, 0.0], [-math.inf, math.inf], *good])
        features = self.write(f"a={path}[0,1]\nb={path}[2,3]\nc={path}[4,5]\n", "x.scp")
        labels = self.write_labels({"a": [0, 0], "b": [0, 1], "c": [0, 0]})
        for arguments in ((features,), (features, "--join", labels)):
            status, report = self.found(*arguments)
            self.assertEqual(GOOD, status)
            self.assertEqual(3, report["warnings_by_code"]["check-non-finite"]["count"])
            (warning,) = report["warnings"]
            self.assertEqual("b", warning["sequence_key"])
            self.assertIn("nan in sample 0", warning["found"])

    def test_gaps_and_other_errors_of_labels_are_found(self) -> None:
        features = self.write_features({"a": 2, "b": 3, "c": 1, "d": 1})
        text = (
            '#!MLF!#\n"a.lab"\n0 1 s 0\n1 2 s 1\n.\n"b.lab"\n0 1 s 0\n2 3 s 1\n.\n'
            '"c.lab"\n0 1 s x\n.\n"d.lab"\n0 1 s 0\n'
        )
        labels = self.write(text, "l.mlf")
        expected = {"mlf-gap": 1, "mlf-id": 1, "mlf-cut": 1}
        for arguments in ((labels,), (features, "--join", labels)):
            status, report = self.found(*arguments)
            self.assertEqual(BAD_DATA, status)
            self.assertEqual(expected, self.codes(report))
            self.assertEqual([1, 3], [report["sequences"], report["holes"]])
            gap = report["diagnostics"][0]
            self.assertEqual((labels, 8), (gap["path"], gap["line"]))
            self.assertEqual("the start at frame 1", gap["expected"])

    def test_repeated_keys_are_warnings(self) -> None:
        path = self.write_htk("x.htk", [[float(i), 0.0] for i in range(4)])
        features = self.write(f"a={path}[0,0]\nb={path}[1,1]\na={path}[2,2]\n", "x.scp")
        status, report = self.found(features)
        self.assertEqual(GOOD, status)
        self.assertEqual(1, report["sequences"])  # both are left out
        repeated = report["warnings_by_code"]["htk-repeated-key"]
        self.assertEqual((2, 1), (repeated["count"], repeated["first"]["line"]))
        labels = self.write('#!MLF!#\n"b"\n0 1 s 0\n.\n"b"\n0 1 s 1\n.\n', "l.mlf")
        status, report = self.found(labels)
        self.assertEqual(GOOD, status)
        self.assertEqual(1, report["sequences"])  # the first one counts
        repeated = report["warnings_by_code"]["mlf-repeated-key"]
        self.assertEqual((1, 5), (repeated["count"], repeated["first"]["line"]))
        self.write_lattices({"b": 1})
        archive = str(self.folder / "g.bin")
        self.write(lattice(1) * 2, "g.bin")
        lattices = self.write(f"b={archive}[0]\nb=[{len(lattice(1))}]\n", "g.toc")
        status, report = self.found(lattices, "--keys", "text")
        self.assertEqual(GOOD, status)
        self.assertEqual(1, report["warnings_by_code"]["lattice-repeated-key"]["count"])
        joined = ("--join", labels, "--join", lattices, "--keys", "text")
        status, report = self.found(features, *joined)
        self.assertEqual(GOOD, status)
        for code in ("htk-repeated-key", "mlf-repeated-key", "lattice-repeated-key"):
            self.assertIn(code, report["warnings_by_code"])

    def test_damaged_lattices_are_found(self) -> None:
        features = self.write_features({"a": 3, "b": 2})
        lattices = self.write_lattices({"a": 3, "b": 2})
        archive = self.folder / "g.bin"
        damaged = bytearray(archive.read_bytes())
        damaged[len(lattice(3))] ^= 1  # the tag of the second
        archive.write_bytes(damaged)
        status, report = self.found(features, "--join", lattices, "--keys", "text")
        self.assertEqual(BAD_DATA, status)
        self.assertEqual({"lattice-tag": 1}, self.codes(report))
        self.assertEqual("b", report["diagnostics"][0]["sequence_key"])

    def test_numeric_keys_join_other_formats(self) -> None:
        features = self.write_features({"7": 2, "18446744073709551615": 1, "0": 3})
        labels = self.write_labels({"0": [1, 1, 0], "7": [0, 1], "18446744073709551615": [1]})
        text = self.write("18446744073709551615 |t 1\n7 |t 2\n0 |t 3\n", "t.ctf")
        joined = ("--join", labels, "--join", text)
        status, report = self.found(features, *joined, "--keys", "numeric")
        self.assertEqual(GOOD, status)
        self.assertEqual([3, 0, 0, 0], self.counts(report))
        result = self.run_sheaf("check", features, *joined)
        self.assertEqual(BAD_DATA, result.returncode)
        self.assertIn("keys=numeric or keys=text (--keys)", result.stderr)
        self.write_labels({"7": [0, 1], "u": [0]})
        refused = self.run_sheaf("check", labels, "--keys", "numeric")
        self.assertEqual(BAD_DATA, refused.returncode)
        self.assertIn(f"{labels}:6:1: error: expected a key that is a number", refused.stderr)

    def test_a_configuration_reads_numeric_keys_in_all_deserializers(self) -> None:
        features = self.write_features({"7": 2, "3": 1})
        labels = self.write_labels({"3": [1], "7": [0, 1]})
        lattices = self.write_lattices({"7": 2, "3": 1})
        text = self.write("3 |t 1\n7 |t 2\n", "t.ctf")
        members = (
            f"[type=HTKFeatureDeserializer;input=[x=[scpFile={features};dim=2]]]:"
            f"[type=HTKMLFDeserializer;input=[l=[mlfFile={labels};labelDim=3]]]:"
            f"[type=LatticeDeserializer;input=[g=[latticeIndexFile={lattices}]]]:"
            f"[type=CNTKTextFormatDeserializer;file={text};input=[t=[dim=1;format=dense]]]"
        )

        def read(setting: str) -> tuple[int, str]:
            reader = f"reader=[randomize=false;deserializers=({members});{setting}]"
            config = self.write(reader, "a.cntk")
            said = ("--config", config, "--section", "reader", "--format", "keys")
            result = self.run_sheaf("read", *said)
            return result.returncode, result.stdout + result.stderr

        for is_numeric in ("true", "false"):
            status, output = read(f"useNumericSequenceKeys={is_numeric}")
            self.assertEqual(GOOD, status, output)
            keys = [str(key) for key in json.loads(output)["keys"]]
            self.assertEqual(["7", "3"], keys)
        self.write_labels({"u": [1], "7": [0, 1]})
        status, output = read("useNumericSequenceKeys=true")
        self.assertEqual(BAD_DATA, status)
        self.assertIn(f"{labels}:2:1: error: expected a key that is a number", output)


class LabelsAsFeatures(SpeechTest):
    """Labels stored as features of one value equal the labels of the MLF."""

    def setUp(self) -> None:
        super().setUp()
        self.labels = {f"u{i}": [(i * t + i) % 7 for t in range(1 + i % 5)] for i in range(30)}
        values = [[float(each)] for ids in self.labels.values() for each in ids]
        path = self.write_htk("y.htk", values)
        lines, first = [], 0
        for key, ids in self.labels.items():
            lines.append(f"{key}.x={path}[{first},{first + len(ids) - 1}]\n")
            first += len(ids)
        self.scp = self.write("".join(lines), "y.scp")
        self.mlf = self.write_labels(self.labels, "y")
        counts = {key: len(ids) for key, ids in self.labels.items()}
        self.features = self.write_features(dict(reversed(counts.items())))

    def delivered(self, *arguments: str) -> list[str]:
        """Returns the minibatches with keys and all values, and the checksum of the bytes."""
        command = ("read", *arguments, "--minibatch-size", "20")
        lines = self.good(*command, "--format", "json").splitlines()
        self.assertGreater(len(lines), 3)
        report = self.good_json(*command, "--format", "none", "--json")
        return [*lines, report["checksum"]]

    def test_labels_in_htk_files_give_the_minibatches_of_the_mlf(self) -> None:
        forms = (("one_hot", "y:sparse:7"), ("ids", "y:dense:1:dtype=int32"))
        orders = (
            (),
            ("--order", "cntk", "--seed", "3", "--window-samples", "all"),
            ("--order", "keyed", "--seed", "5", "--packing", "ragged"),
            ("--order", "cntk", "--seed", "3", "--window-samples", "all", "--split-frames"),
        )
        for form, stream in forms:
            for order in orders:
                with self.subTest(form=form, order=order):
                    own = ("--stream", stream, "--keys", "text", *order)
                    labels = self.delivered(self.mlf, "--format-option", f"mlf.as={form}", *own)
                    features = self.delivered(self.scp, "--format-option", f"htk.as={form}", *own)
                    self.assertEqual(labels, features)

    def test_labels_in_htk_files_join_features_like_the_mlf(self) -> None:
        for form in ("one_hot", "ids"):
            for order in ((), ("--order", "keyed", "--seed", "5")):
                with self.subTest(form=form, order=order):
                    joined = [
                        self.delivered(*("--spec", self.write_spec(path, name, form), *order))
                        for path, name in ((self.mlf, "mlf"), (self.scp, "htk"))
                    ]
                    self.assertEqual(*joined)

    def write_spec(self, path: str, name: str, form: str) -> str:
        stream = {"name": "y", "storage": "sparse", "shape": 7}
        if form == "ids":
            stream = {"name": "y", "shape": 1, "dtype": "int32"}
        members = [
            {"files": [self.features]},
            {"files": [path], "streams": [stream], "format_options": {f"{name}.as": form}},
        ]
        return self.write(json.dumps({"data": {"join": members}}), f"{name}.json")


if __name__ == "__main__":
    unittest.main()
