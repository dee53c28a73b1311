"""The cache that `sheaf read` uses: folders, specs, configurations. Other verbs have no cache."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from cached_run import CachedTest, rows, unit_files
from command import SHEAF, TIMEOUT_SECONDS, plain_environment

SMALL = rows(60_000, seed=2)  # one unit


class CacheFolderTest(CachedTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(SMALL)

    def test_missing_cache_folders_are_created(self) -> None:
        self.cache = self.folder / "a" / "b" / "cache"
        expected = self.cached().checksum
        self.assertEqual(1, len(unit_files(self.cache)))
        found = self.report(*self.arguments("--cache", f"{self.cache}/"))
        self.assertEqual((expected, 1, 0), (found.checksum, found.hits, found.misses))

    def test_a_file_as_the_cache_is_refused(self) -> None:
        error = self.refused(*self.arguments("--cache", self.data))
        self.assertTrue(error.startswith(f"sheaf: error: --cache: {self.data} is a file"), error)
        self.assertEqual(SMALL, Path(self.data).read_text())

    def check_unwritable(self, cache: str, reason: str) -> None:
        expected = self.plain()
        self.assertEqual("", expected.stderr)
        found = self.report(*self.arguments("--cache", cache))
        self.assertEqual(expected.checksum, found.checksum)
        self.assertRegex(found.stderr, rf"\A{re.escape(cache)}: warning: [^\n]*{reason}")

    def test_a_folder_that_cannot_be_created_is_a_warning(self) -> None:
        self.check_unwritable(f"{self.data}/cache", "Not a directory")

    @unittest.skipUnless(os.path.isdir("/proc/self"), "there is no /proc")
    def test_a_file_system_that_refuses_folders_is_a_warning(self) -> None:
        self.check_unwritable("/proc/self/cache", "No such file or directory")

    @unittest.skipIf(os.geteuid() == 0, "modes mean nothing to root")
    def test_a_folder_that_cannot_be_written_is_a_warning(self) -> None:
        self.cache.mkdir(mode=0o500)
        self.check_unwritable(str(self.cache), "Permission denied")

    def test_the_cache_does_not_change_standard_input(self) -> None:
        expected = self.plain().checksum
        command = self.arguments("--cache", str(self.cache), "--data-format", "ctf", path="-")
        for _ in range(2):
            with open(self.data, "rb") as data:
                result = subprocess.run(
                    [SHEAF, *command], stdin=data, capture_output=True, text=True, check=True,
                    timeout=TIMEOUT_SECONDS, env=plain_environment(),
                )  # fmt: skip
            self.assertEqual(expected, json.loads(result.stdout)["checksum"])


class CacheOfASpecTest(CachedTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.write(SMALL)

    def spec(self, **read: object) -> str:
        streams = [{"name": "x", "shape": 3}, {"name": "y", "storage": "sparse", "shape": 50}]
        data = {"files": "data.ctf", "streams": streams}
        return self.write(json.dumps({"data": data, "read": read}), "train.json")

    def read_spec(self, spec: str, *arguments: str) -> int:
        """Returns how many units the run took from its cache, and how many it decoded."""
        found = self.report("read", "--spec", spec, "--format", "none", "--json", *arguments)
        self.assertEqual(self.plain().checksum, found.checksum)
        return found.hits + found.misses

    def test_a_spec_may_name_the_cache(self) -> None:
        spec = self.spec(cache="of/train")
        for _ in range(2):
            self.assertEqual(1, self.read_spec(spec))
            self.assertEqual(1, len(unit_files(self.folder / "of" / "train")))

    def test_options_override_the_cache_of_a_spec(self) -> None:
        spec = self.spec(cache="own", cache_limit=1)
        self.read_spec(spec)
        self.assertEqual([], unit_files(self.folder / "own"))
        other = self.folder / "other"
        self.read_spec(spec, "--cache", str(other))
        self.assertEqual([], unit_files(other))  # the limit of the spec applies
        self.read_spec(spec, "--cache", str(other), "--cache-limit", "none")
        self.assertEqual(([], 1), (unit_files(self.folder / "own"), len(unit_files(other))))
        self.read_spec(spec, "--cache-limit", "1MB")
        self.assertEqual(1, len(unit_files(self.folder / "own")))
        self.assertEqual(0, self.read_spec(spec, "--cache", "", "--cache-limit", "none"))

    def test_a_limit_needs_a_cache_of_the_spec_or_of_an_option(self) -> None:
        error = self.refused("read", "--spec", self.spec(cache_limit=1000))
        self.assertTrue(error.startswith("sheaf: error: --cache-limit: "), error)
        self.read_spec(self.spec(cache_limit=1_000_000), "--cache", str(self.cache))
        self.read_spec(self.spec(cache="c"), "--cache-limit", "1MB")

    def test_other_verbs_ignore_the_cache_of_a_spec(self) -> None:
        spec = self.spec(cache="cache")
        out = str(self.folder / "out.cbf")
        for arguments in (
            ("head", "--spec", spec),
            ("check", "--spec", spec),
            ("stat", "--spec", spec),
            ("order", "--spec", spec),
            ("index", "--spec", spec),
            ("convert", "--spec", spec, out),
        ):
            with self.subTest(arguments[0]):
                self.good(*arguments)
                self.assertFalse(self.cache.exists())

    def test_a_configuration_may_have_a_cache(self) -> None:
        config = self.write(
            "reader = [readerType = CNTKTextFormatReader ; randomize = false ; "
            f"file = {self.data} ; input = [x = [dim = 3 ; format = dense] ; "
            "y = [dim = 50 ; format = sparse]]]\n",
            "train.cntk",
        )
        how = ("read", "--config", config, "--format", "none", "--json")
        expected = self.report(*how)
        for counts in ((0, 1), (1, 0)):
            found = self.report(*how, "--cache", str(self.cache))
            self.assertEqual(expected.checksum, found.checksum)
            self.assertEqual(counts, (found.hits, found.misses))


if __name__ == "__main__":
    unittest.main()
