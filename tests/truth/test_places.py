"""Stops name the work-item whose they are, in programs whose slots are used many times, forwards and backwards. See places.py."""
import pytest

import places
import truth


@pytest.mark.parametrize("family, seed", truth.parameters(places))
def test_places(family, seed, tmp_path):
    truth.once(places, family, seed, tmp_path)
