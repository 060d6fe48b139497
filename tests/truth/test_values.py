"""What the console shows of kernels is what stock GDB shows of the same programs on the host: each compiler's fixed seeds."""
import collections
import functools

import pytest

import truth
import values


@pytest.fixture(scope="module", name="compared")
def compared_(tmp_path_factory):
    """compared(family, seed): the comparison, which is made once."""
    return functools.cache(lambda family, seed: truth.once(values, family, seed, tmp_path_factory.mktemp(f"{family}-{seed}")))


@pytest.mark.parametrize("family, seed", truth.parameters(values))
def test_values_are_those_of_the_host_program(compared, family, seed):
    """Each variable, argument, element and frame, in every lane."""
    assert compared(family, seed).known > 100


def test_each_kind_of_place_is_compared(compared):
    assert set(+sum((compared(family, seed).kinds for family, seeds in values.QUICK.items() for seed in seeds), collections.Counter())) >= values.KINDS | values.AGAIN


@pytest.mark.full
@pytest.mark.parametrize("family", values.FIXED)
def test_all_fixed_seeds_of_a_family(compared, family):
    """What is said to be not available is no more than docs/truth.md states."""
    results = [compared(family, seed) for seed in values.FIXED[family]]
    known = sum(result.known for result in results)
    missing, kinds = (sum((getattr(result, what) for result in results), collections.Counter()) for what in ("missing", "kinds"))
    assert known > 500
    assert set(+kinds) >= values.SEEN.get(family, values.KINDS), kinds
    share, stated = round(100 * sum(missing.values()) / (sum(missing.values()) + known), 2), values.stated()[family]
    assert share <= stated <= values.MOST[family], f"{share} % are not available, docs/truth.md states {stated} %: {missing.most_common(5)}"


def test_the_page_states_the_share_of_each_family():
    """No family of the harness is left out of the table, and none that it lacks is in it."""
    assert set(values.stated()) == set(values.FAMILIES) == set(values.FIXED)
