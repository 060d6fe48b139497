"""A breakpoint on each line of optimised programs has the addresses that GDB gives it: the fixed seeds."""
import pytest

import break_lines
import truth


@pytest.mark.parametrize("family, seed", truth.parameters(break_lines))
def test_breakpoints_on_lines_have_the_addresses_of_gdb(family, seed, tmp_path):
    assert truth.once(break_lines, family, seed, tmp_path) > 100
