"""Where --check=race on a Gen9 takes lanes of one thread as ordered, since a sub_group_barrier(), which has no code, is on the way."""
import pytest

import checks


@pytest.mark.parametrize("options", ["-g", "-g -cl-opt-disable"])
@pytest.mark.parametrize("kernel, errors", [("next_round", False), ("same_round", True), ("next_round_of_loop", False), ("same_round_of_loop", True)])
def test_a_barrier_of_another_round(kernel, errors, options):
    """A loop goes back, unrolled or not, though the next access is one further on in the code: a store of the first round, and a load of the second one, behind their
    barrier."""
    program = checks.built("sub_groups_ze", "gcc", "-O1", "-g", "-w", checks.HERE / "sub_groups_ze.c", "-lze_loader")
    module = checks.spirv(checks.HERE / "sub_groups.cl", checks.OUT / f"sub_groups{options.count(' ')}.spv", options)
    done = checks.run(checks.command_under_test(), "exec", "-g", "gen9", "--check=race", program, module, kernel, CHECK_OPTIONS=options)
    assert (done.returncode == 115) == ("error: race" in done.stderr) == errors and "warning" not in done.stderr.replace("0 warnings", ""), done.stderr
