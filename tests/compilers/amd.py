"""AMD's GPUs, for which suites of the family gcn compile and run. Their parameters and the names of their programs say gfx900; tests/meson.build has each of
these suites once more for each other model, which AMD_MODEL names. Then those of their tests take part that have gfx900 or gcn as a parameter, or in the name of their file (tests/conftest.py)."""
import os
import re

MODELS = ("gfx900", "gfx906", "gfx908", "gfx90a")
BY_GCC = ("gfx900", "gfx906")   # Debian 12's GCC has libgomp for these
MODEL = os.environ.get("AMD_MODEL", MODELS[0])
# The lanes of a wave: from gfx10 on compilers make code for either size, as AMD_LANES says.
LANES = int(os.environ.get("AMD_LANES", 32 if MODEL.startswith("gfx1") else 64))
TARGET = [f"-mcpu={MODEL}"] + (["-mwavefrontsize64"] if MODEL.startswith("gfx1") and LANES == 64 else [])


def unified(text, model=MODEL):
    """A kernel's descriptor in assembly: of a gfx90a it says where accumulation registers begin."""
    return re.sub(r"(\.amdhsa_next_free_vgpr (\d+)\n)(?!\.amdhsa_accum)", r"\1.amdhsa_accum_offset \2\n", text) if model == "gfx90a" else text


def gpu(family):
    """What --gpu takes for a family of the suites."""
    return family.replace(MODELS[0], MODEL)


if __name__ == "__main__":
    print(*MODELS[1:])
