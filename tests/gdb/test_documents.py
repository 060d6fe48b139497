"""The sessions that the documents show are real: they are run again, and say the same."""
import pytest

from conftest import ROOT
from sessions import Runner, build_examples, fits, steps_of

DOCUMENTS = ["tutorial.md", "gdb.md", "overwritten.md", "time-travel.md"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_documents_sessions_are_real(name, tmp_path):
    steps = steps_of((ROOT / "docs" / name).read_text().split("\n"))
    assert len(steps) > 5
    build_examples(tmp_path, steps)
    run = Runner(tmp_path)
    try:
        for step in steps:
            said = run(step)
            shown = [line for _, line in step.said if line]
            assert fits(shown, said), f"{step.line}\nis shown as\n" + "\n".join(shown) + "\nbut says\n" \
                + "\n".join(said)
    finally:
        run.close()
