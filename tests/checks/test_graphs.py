"""--check=race follows launches of HIP's graphs as operations of their streams."""
import pytest

import checks


@pytest.mark.parametrize("case, errors", [("in_one_stream", False), ("event", False), ("waited_for", False), ("twice", False), ("unordered", True), ("event_of_before", True)])
def test_a_graph_is_an_operation_of_its_stream(case, errors):
    program = checks.built("graphs", "hipcc", "--offload-arch=gfx900", "-O1", "-g", "-w", "-x", "hip", checks.HERE / "graphs.hip")
    done = checks.run(checks.command_under_test(), "exec", "-g", "gfx900", "--check=race", program, case)
    assert (done.returncode == 115) == ("error: race" in done.stderr) == errors, done.stderr
    assert not errors or "no call orders the two launches" in done.stderr, done.stderr
