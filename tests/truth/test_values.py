"""What the console shows of kernels is what stock GDB shows of the same programs on the host: each compiler's fixed seeds."""
import collections

import pytest

import truth
import values


@pytest.mark.parametrize("family", values.FIXED)
def test_values_are_those_of_the_host_program(family, tmp_path):
    """Each variable, argument, element and frame, in every lane; what is said to be not available stays below the family's share."""
    missing = known = 0
    kinds = collections.Counter()
    for seed in values.FIXED[family]:
        folder = tmp_path / str(seed)
        folder.mkdir()
        result = truth.once(values, family, seed, folder)
        known += result.known
        kinds += result.kinds
        missing += sum(result.missing.values())
    assert known > 500
    assert set(+kinds) >= values.SEEN.get(family, values.KINDS), kinds
    assert missing <= values.SHARES[family] * (missing + known), result.missing
