"""WAVETRAP_TEST chooses test functions: `make test T=cli/run::NAME` sets it."""
import os


def pytest_collection_modifyitems(config, items):
    """Leaves out every test but that of this name, with its parameters or without; else those that contain it."""
    name = os.environ.get("WAVETRAP_TEST")
    if not name:
        return
    wanted = [i for i in items if name in (i.name, i.originalname)] or [i for i in items if name in i.name]
    config.hook.pytest_deselected(items=[i for i in items if i not in wanted])
    items[:] = wanted
