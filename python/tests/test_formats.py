"""The list of formats."""

import pytest

import sheaf
from conftest import ROOT
from sheaf.cntk.formats import FORMATS


def test_each_format_is_opened_by_its_name_and_its_extensions(tmp_path):
    rows = {row.name: row for row in sheaf.formats()}
    assert {"ctf", "cbf", "libsvm"} <= set(rows)
    ctf = tmp_path / "a.ctf"
    ctf.write_text("1 |x 1 2 |y 1:1\n")
    for row in rows.values():
        for extension in row.extensions:
            path = tmp_path / f"empty.{extension}"
            path.write_text("")
            try:
                assert sheaf.open(path).format == row.name
            except sheaf.DataError:  # the format refuses a file without data
                continue
    assert sheaf.open(ctf, format="ctf").format == "ctf"
    assert rows["ctf"].is_writable
    assert not rows["cbf"].keeps_keys


def test_listed_options_of_libsvm_are_accepted(tmp_path):
    path = tmp_path / "a.libsvm"
    path.write_text("1 1:2\n")
    for row in sheaf.formats():
        for option in row.read_options:
            if row.name != "libsvm":
                continue
            for value in option.values:
                sheaf.open(path, format_options={option.name: value})
    with pytest.raises(sheaf.ConfigError, match=r"libsvm\.base: expected 1 or 0"):
        sheaf.open(path, format_options={"libsvm.base": "7"})
    with pytest.raises(sheaf.ConfigError, match=r"libsvm has no option"):
        sheaf.open(path, format_options={"libsvm.bas": "0"})


def test_a_wrong_name_of_a_format_gets_a_suggestion(tmp_path):
    path = tmp_path / "a.ctf"
    path.write_text("1 |x 1\n")
    with pytest.raises(sheaf.ConfigError, match=r"did you mean ctf\?"):
        sheaf.open(path, format="ctff")
    path.with_suffix(".dat").write_text("1 |x 1\n")
    with pytest.raises(sheaf.ConfigError, match="its first bytes look like ctf"):
        sheaf.open(path.with_suffix(".dat"))


def test_settings_of_cntk_map_to_options_of_sheaf():
    assert FORMATS["CNTKTextFormatDeserializer"].tolerates_errors
    assert FORMATS["CNTKTextFormatDeserializer"].options["chunkSizeInBytes"][0] == "chunk_size"
    assert FORMATS["CNTKBinaryFormatDeserializer"].always == {"compatibility": "cntk"}
    assert FORMATS["CNTKBinaryFormatDeserializer"].options["skipSequenceIds"] is None


def test_a_setting_of_kaldi_allows_one_word():
    rows = {row["name"]: row for row in sheaf._sheaf.formats()}
    settings = {name: rest for name, *rest in rows["kaldi"]["cntk"]["stream"]["settings"]}
    assert settings["featureTransform"] == ["fixed", "", "NO_FEATURE_TRANSFORM", ""]
    assert settings["scpFile"][0] == "ignored"


def test_every_format_has_documentation():
    text = (ROOT / "docs" / "spec.md").read_text()
    for row in sheaf.formats():
        assert f'`"{row.name}"`' in text
        assert (ROOT / "docs" / "formats" / f"{row.name}.md").exists()
