"""What is printed at one issue time does not depend on the way there. See backwards.py."""
import pytest

import backwards
import truth


@pytest.mark.parametrize("family, seed", truth.parameters(backwards))
def test_backwards(family, seed, tmp_path):
    truth.once(backwards, family, seed, tmp_path)
