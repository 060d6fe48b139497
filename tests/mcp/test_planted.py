"""A client finds the line of each of ten planted bugs in at most eight calls of tools, on each family. It takes each next call from the
answers before (planted.look())."""
import pytest

from mcp import Client
from planted import COUNT, FAMILIES, culprit, look, words_of

MOST_CALLS = 8


@pytest.mark.parametrize("family", FAMILIES)
def test_the_culprit_of_each_planted_bug_is_found(family, folder):
    found, calls = {}, {}
    for number in range(COUNT):
        with Client(*words_of(family, number, folder)) as client:
            found[number] = look(client)
            calls[number] = client.calls
    assert found == {number: culprit(number) for number in range(COUNT)}
    assert max(calls.values()) <= MOST_CALLS, calls
