"""What the console prints of optimised kernels is a value that the variable has had, or the compiler's mistake: the fixed seeds."""
import pytest

import optimised
import truth


@pytest.mark.parametrize("family, seed", truth.parameters(optimised))
def test_values_of_optimised_code_are_those_that_the_variables_had(family, seed, tmp_path):
    result = truth.once(optimised, family, seed, tmp_path)
    assert result.known + sum(result.missing.values()) > 200 and (result.known > 200 or family.endswith(("-lines", "sm-cuda-O2")))
    found = {f"{line} {name}: {place}" for line, name, place in result.exceptions}
    assert found == set(optimised.exceptions_of(family, seed)), "the list of the compilers' mistakes is not that of this run"
