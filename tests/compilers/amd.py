"""AMD's GPUs, for which suites of the family gcn compile and run. Their parameters and the names of their programs say gfx900; tests/meson.build has each of
these suites once more for each other model, which AMD_MODEL names. Then those of their tests take part that have gfx900 or gcn as a parameter, or in the name of their file (tests/conftest.py)."""
import os

MODELS = ("gfx900", "gfx906", "gfx908", "gfx90a")
BY_GCC = ("gfx900", "gfx906")   # Debian 12's GCC has libgomp for these
MODEL = os.environ.get("AMD_MODEL", MODELS[0])


def gpu(family):
    """What --gpu takes for a family of the suites."""
    return family.replace(MODELS[0], MODEL)


if __name__ == "__main__":
    print(*MODELS[1:])
