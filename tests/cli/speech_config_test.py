"""`sheaf read --config` of speech: what the sections of CNTK's deserializers deliver."""

from __future__ import annotations

import unittest

from command import BAD_DATA
from speech_check_test import SpeechTest


class ReadSpeechConfigTest(SpeechTest):
    @staticmethod
    def features(path: str, name: str = "x", more: str = "") -> str:
        return (
            "[type=HTKFeatureDeserializer; module=HTKDeserializers; "
            f"input=[{name}=[scpFile={path}; dim=2; {more}]]]"
        )

    @staticmethod
    def labels(path: str) -> str:
        return (
            "[type=HTKMLFDeserializer; module=HTKDeserializers; "
            f"input=[l=[mlfFile={path}; labelDim=3]]]"
        )

    def config(self, settings: str, *deserializers: str) -> str:
        members = " : ".join(deserializers)
        return self.write(f"r=[{settings}\ndeserializers=({members})]\n", "a.cntk")

    def columns(self, config: str, streams: str, *arguments: str) -> list[str]:
        read = ("read", "--config", config, "--section", "r", "--streams", streams)
        return self.good(*read, "--format", "matrix", *arguments).splitlines()

    def error_of(self, config: str, *arguments: str) -> str:
        read = ("read", "--config", config, "--section", "r", "--streams", "x")
        result = self.run_sheaf(*read, "--format", "matrix", *arguments)
        self.assertEqual(BAD_DATA, result.returncode, result.stderr)
        return result.stderr

    def test_a_lattice_is_any_bytes(self) -> None:
        archive = self.write(b"LAT \0\0\x80\x3f" + b"\0\0\0\x40\1\0", "a.bin")
        toc = self.write(f"a={archive}[0]\nb=[8]\n", "a.toc")
        lattices = (
            "[type=LatticeDeserializer; module=HTKDeserializers; "
            f"input=[g=[latticeIndexFile={self.write(toc, 'a.index')}]]]"
        )
        scp = self.write_features({"a": 3, "b": 1})
        config = self.config("randomize=false", self.features(scp), lattices)
        self.assertEqual(["0 1", "3 1", "1 1", "2 1"], self.columns(config, "x"))
        self.assertEqual(["1", "2"], self.columns(config, "g")[1:3])

    def test_a_window_sees_the_frames_behind_those_of_the_first_stream(self) -> None:
        first = self.write_features({"a": 2, "b": 1})
        other = self.write_features({"a": 4, "b": 3}, "w")
        window = self.features(other, "w", "contextWindow=0:2")
        config = self.config("randomize=false; frameMode=true", self.features(first), window)
        wanted = ["0 1 1 1 2 1", "1 1 2 1 3 1", "4 1 5 1 6 1"]
        self.assertEqual(wanted, self.columns(config, "w"))

    def test_each_epoch_of_truncated_sequences_has_its_first_minibatches(self) -> None:
        scp = self.write_features({"a": 5, "b": 3, "c": 4})
        settings = "randomize=false; truncated=true; truncationLength=2"
        config = self.config(settings, self.features(scp))
        run = ("--minibatch-size", "4", "--epochs", "2")
        whole = self.columns(config, "x", *run)
        self.assertEqual(24, len(whole))
        for count in (1, 2):
            wanted = whole[: 4 * count] + whole[12 : 12 + 4 * count]
            found = self.columns(config, "x", *run, "--max-minibatches", str(count))
            self.assertEqual(wanted, found, count)

    def test_truncated_sequences_are_whole_if_an_expanded_stream_counts(self) -> None:
        scp = self.write_features({"a": 5, "b": 2})
        vectors = self.write_features({"a": 1, "b": 1}, "v")
        expanded = self.features(vectors, "v", "expandToUtterance=true; definesMBSize=true")
        settings = "randomize=false; truncated=true; truncationLength=2"
        config = self.config(settings, self.features(scp), expanded)
        found = self.columns(config, "x", "--minibatch-size", "2")
        self.assertEqual([f"{i} 1" for i in range(7)], found)
        self.assertEqual(7, len(self.columns(config, "v", "--minibatch-size", "2")))

    def test_an_expanded_stream_that_counts_makes_epochs_of_utterances(self) -> None:
        scp = self.write_features({"a": 5, "b": 2, "c": 3})
        vectors = self.write_features({"a": 1, "b": 1, "c": 1}, "v")
        settings = "randomize=false; truncated=true; truncationLength=2"
        run = ("--minibatch-size", "2", "--epoch-size", "1")
        for more, wanted in (("", [5]), ("definesMBSize=true", [5, 7, 10, 15])):
            expanded = self.features(vectors, "v", f"expandToUtterance=true; {more}")
            config = self.config(settings, self.features(scp), expanded)
            for epochs, count in enumerate(wanted, 1):
                found = self.columns(config, "x", *run, "--epochs", str(epochs))
                self.assertEqual([f"{i % 10} 1" for i in range(count)], found)

    def test_a_wrong_utterance_takes_no_room_among_truncated_ones(self) -> None:
        scp = self.write_features({"a": 3, "b": 4, "c": 5, "d": 1})
        lines = ['"a.lab"', "0 3 s 1", ".", '"b.lab"', "0 1 s 1", "2 4 s 1", "."]
        lines += ['"c.lab"', "0 5 s 2", ".", '"d.lab"', "0 1 s 0", "."]
        mlf = self.write("\n".join(["#!MLF!#", *lines, ""]), "l.mlf")
        parts = (self.features(scp), self.labels(mlf))
        settings = "randomize=false; truncated=true; truncationLength=4; maxErrors="
        config = self.config(f"{settings}1", *parts)
        run = ("--minibatch-size", "4")
        frames = [0, 1, 2, 7, 8, 9, 10, 11, 12]
        for epochs in (1, 2):  # the utterance is one error, in both epochs
            found = self.columns(config, "x", *run, "--epochs", str(epochs))
            self.assertEqual([f"{i} 1" for i in frames * epochs], found)
        first = self.columns(config, "x", *run, "--max-minibatches", "1")
        self.assertEqual([f"{i} 1" for i in frames[:4]], first)
        error = self.error_of(self.config(f"{settings}0", *parts), *run)
        self.assertIn("[mlf-gap]", error)

    def test_a_wrong_utterance_at_the_end_is_an_error_of_truncated_ones(self) -> None:
        scp = self.write_features({"a": 2, "b": 2})
        mlf = self.write('#!MLF!#\n"a.lab"\n0 2 s 1\n.\n"b.lab"\n1 2 s 1\n.\n', "l.mlf")
        parts = (self.features(scp), self.labels(mlf))
        settings = "randomize=false; truncated=true; truncationLength=2; maxErrors="
        for size in ("2", "4", "6"):
            run = ("--minibatch-size", size)
            config = self.config(f"{settings}1", *parts)
            self.assertEqual(["0 1", "1 1"], self.columns(config, "x", *run))
            self.assertIn("[mlf-gap]", self.error_of(self.config(f"{settings}0", *parts), *run))

    def test_a_deserializer_may_have_a_verbosity(self) -> None:
        scp = self.write_features({"a": 2})
        index = self.write(f"{self.write_lattices({'a': 2})}\n", "a.index")
        lattices = f"[type=LatticeDeserializer; input=[g=[latticeIndexFile={index}]]; verbosity=1]"
        labels = self.labels(self.write_labels({"a": [0, 1]}))
        outside = [
            each.replace("; input", "; verbosity=1; input") for each in (self.features(scp), labels)
        ]
        for members in (outside, [self.features(scp, "x", "verbosity=2"), lattices]):
            config = self.config("randomize=false", *members)
            read = ("read", "--config", config, "--section", "r", "--streams", "x")
            found = self.run_sheaf(*read, "--format", "matrix")
            self.assertEqual("0 1\n1 1\n", found.stdout)
            self.assertNotIn("verbosity", found.stderr)

    def test_max_errors_counts_utterances(self) -> None:
        scp = self.write_features({"a": 2, "b": 6})
        mlf = self.write(
            '#!MLF!#\n"a.lab"\n0 2 s 1\n.\n"b.lab"\n0 1 s 1\n2 3 s 1\n5 6 s 1\n.\n', "l.mlf"
        )
        parts = (self.features(scp), self.labels(mlf))
        config = self.config("randomize=false; maxErrors=1", *parts)
        self.assertEqual(["0 1", "1 1"], self.columns(config, "x"))
        error = self.error_of(self.config("randomize=false", *parts))
        self.assertIn("[mlf-gap]", error)

    def test_max_errors_counts_frames_where_each_is_a_sequence(self) -> None:
        scp = self.write_features({"a": 2, "b": 3})
        mlf = self.write('#!MLF!#\n"a.lab"\n0 2 s 1\n.\n"b.lab"\n1 3 s 1\n.\n', "l.mlf")
        parts = (self.features(scp), self.labels(mlf))
        settings = "randomize=false; frameMode=true; maxErrors="
        for epochs in ("1", "2"):  # the second epoch has no other frames
            config = self.config(f"{settings}3", *parts)
            found = self.columns(config, "x", "--epochs", epochs)
            self.assertEqual(["0 1", "1 1"] * int(epochs), found)
        error = self.error_of(self.config(f"{settings}2", *parts))
        self.assertEqual(1, error.count("[mlf-gap]"), error)


if __name__ == "__main__":
    unittest.main()
