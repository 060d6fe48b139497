"""The sessions that the documents show are real: they are run again, and say the same."""
import pytest

from conftest import ROOT
from sessions import Runner, build_examples, fits, steps_of

DOCUMENTS = ["README.md", "docs/tutorial.md", "docs/gdb.md", "docs/overwritten.md", "docs/time-travel.md"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_documents_sessions_are_real(name, tmp_path):
    text = (ROOT / name).read_text()
    # The README's other blocks install packages and build.
    text = text.split("\n## ")[0] if name == "README.md" else text
    steps = steps_of(text.split("\n"))
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
