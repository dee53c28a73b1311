"""Dictionaries of CNTK inside each other."""

import pytest

import sheaf
from sheaf import _sheaf


def nested(depth):
    value = "a.map"
    for _ in range(depth):
        value = [value]
    return {"file": value}


# The outermost dictionary counts: 32 lists are one too many.
@pytest.mark.parametrize(("depth", "found"), [(30, "missing"), (31, "missing"), (32, "at most 32")])
def test_dictionaries_and_lists_have_a_limited_depth(depth, found):
    with pytest.raises(sheaf.Error, match=found):
        _sheaf.cntk_spec(nested(depth), "")


def test_a_list_that_contains_itself_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(sheaf.ConfigError, match="at most 32"):
        _sheaf.cntk_spec({"file": endless}, "")
