"""What the tests of `wavetrap dap` share: kernels of all families with what is known of them."""
import pytest

from dap import Client, definitions
from work import BITCODE, FAMILIES, HEADER, ITEMS, LAUNCH, PROGRAMS, Kernel, build, line_of, stored  # noqa: F401


@pytest.fixture(scope="session")
def kernels(tmp_path_factory):
    """kernels(family): a Kernel."""
    folder, made = tmp_path_factory.mktemp("kernels"), {}

    def kernel_of(family):
        if family not in made:
            made[family] = build(family, folder)
        return made[family]
    return kernel_of


@pytest.fixture(params=FAMILIES)
def kernel(request, kernels):
    return kernels(request.param)


@pytest.fixture(scope="session", autouse=True)
def schemas():
    """They are made before a test's time begins."""
    return definitions()


@pytest.fixture
def client():
    with Client() as own:
        yield own


def begin(client, kernel, prepare=lambda client: None, **more):
    """Launches it; returns its first stop."""
    client.start(prepare=prepare, **kernel.configuration, **more)
    return client.stopped()


def at_store(client, kernel, **more):
    """Stops where a value is stored; returns the stop and its frame."""
    stop = begin(client, kernel, lambda own: own.breakpoints(HEADER, line_of("store")), **more)
    return stop, client.top(stop)
