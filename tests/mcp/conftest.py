"""What the tests of `wavetrap mcp` share."""
import pytest

from mcp import definitions
from planted import FAMILIES, words_of  # noqa: F401


@pytest.fixture(scope="session", autouse=True)
def schemas():
    """They are made before a test's time begins."""
    return definitions()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("planted")
