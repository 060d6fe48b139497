"""Bugs that people really had (known.txt): each is found with its kind at its line, unless it cannot exist there or is a named limit, and
no fixed twin has an error. One program of a language and a level has all cases."""
import pytest

from known import CANNOT, COLUMNS, GPUS, HERE, LIMITS, built, reason, rows, share, table


def test_the_list_has_sixty_bugs_of_all_classes():
    """At least three of each class; each has an address."""
    all_rows = list(rows())
    classes = {row.kind for row in all_rows}
    assert len(all_rows) >= 60 and len({row.name for row in all_rows}) == len(all_rows) and len({row.address for row in all_rows}) == len(all_rows)
    assert all(sum(row.kind == kind for row in all_rows) >= 3 for kind in classes) and len(classes) == 14
    assert all(row.address.startswith("https://github.com/") for row in all_rows)


@pytest.mark.parametrize("family, level", [pytest.param(*one, marks=pytest.mark.full if i else []) for i, one in enumerate(COLUMNS)])
def test_known_bugs_are_found_at_their_lines(family, level, tmp_path_factory):
    told = table(built(family, level, tmp_path_factory.mktemp("known")), HERE / "known.cu", GPUS[family])
    for name, one in told.items():
        excepted = reason(CANNOT, family, level, name) or reason(LIMITS, family, level, name)
        assert (one.found and one.line) or excepted, (name, one.said)
        assert not (one.found and one.line and reason(LIMITS, family, level, name)), f"{name} is found now: it is no limit"
    assert not {name: one.said for name, one in told.items() if not one.twin}
    found, pairs = share(told, family, level)
    assert len(told) >= 60 and found >= 0.75 * pairs, (found, pairs)
