"""What the console shows of kernels is what stock GDB shows of the same programs on the host: each compiler's fixed seeds."""
import collections

import pytest

import truth
import values


@pytest.mark.parametrize("family", values.FIXED)
def test_values_are_those_of_the_host_program(family, tmp_path):
    """Each variable, argument, element and frame, in every lane. What is said to be not available is no more than docs/truth.md states."""
    known = 0
    missing, kinds = collections.Counter(), collections.Counter()
    for seed in values.FIXED[family]:
        folder = tmp_path / str(seed)
        folder.mkdir()
        result = truth.once(values, family, seed, folder)
        known += result.known
        kinds += result.kinds
        missing += result.missing
    assert known > 500
    assert set(+kinds) >= values.SEEN.get(family, values.KINDS), kinds
    share, stated = round(100 * sum(missing.values()) / (sum(missing.values()) + known), 2), values.stated()[family]
    assert share <= stated <= values.MOST[family], f"{share} % are not available, docs/truth.md states {stated} %: {missing.most_common(5)}"


def test_the_page_states_the_share_of_each_family():
    """No family of the harness is left out of the table, and none that it lacks is in it."""
    assert set(values.stated()) == set(values.FAMILIES) == set(values.FIXED)
