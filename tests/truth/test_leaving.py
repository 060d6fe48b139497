"""Debuggers that go, in any way at any moment, leave the program as if they had not been there. See leaving.py."""
import pytest

import leaving
import truth


@pytest.mark.parametrize("family, seed", truth.parameters(leaving))
def test_leaving(family, seed, tmp_path):
    truth.once(leaving, family, seed, tmp_path)
