"""AMD's GPUs, for which suites of the family gcn compile and run. Their parameters and the names of their programs say gfx900; tests/meson.build has each of
these suites once more for each other model, which AMD_MODEL names. Then those of their tests take part that have gfx900 or gcn as a parameter, or in the name of their file (tests/conftest.py)."""
import os
import pathlib
import re
import shutil
import sys

import releases

MODELS = ("gfx900", "gfx906", "gfx908", "gfx90a")
LATER = ("gfx942",)     # Debian 12's HIP does not know it: suites that `wavetrap run` has, by clang 19 and later. Debian 13's does
UNKNOWN = LATER if releases.RELEASE != "trixie" else ()
BY_GCC = MODELS if releases.RELEASE == "trixie" else ("gfx900", "gfx906")   # Debian's GCC has libgomp for these
MODEL = os.environ.get("AMD_MODEL", MODELS[0])
# The lanes of a wave: from gfx10 on compilers make code for either size, as AMD_LANES says.
PAIRS = 2 if MODEL.startswith("gfx1") else 1     # compute units of what HIP counts
LANES = int(os.environ.get("AMD_LANES", 32 if MODEL.startswith("gfx1") else 64))
TARGET = [f"-mcpu={MODEL}"] + (["-mwavefrontsize64"] if MODEL.startswith("gfx1") and LANES == 64 else [])


def unified(text, model=MODEL):
    """A kernel's descriptor in assembly: of a gfx90a it says where accumulation registers begin."""
    return re.sub(r"(\.amdhsa_next_free_vgpr (\d+)\n)(?!\.amdhsa_accum)", r"\1.amdhsa_accum_offset \2\n", text) if model in ("gfx90a", "gfx942") else text


def gpu(family):
    """What --gpu takes for a family of the suites."""
    return family.replace(MODELS[0], MODEL)


def of_model(word):
    """A word of a command for gfx900, for the model that the suite has: "-g" "gfx900:cu=2", "-mcpu=gfx900"."""
    return re.sub(f"^((-g|--gpu=|-mcpu=|--offload-arch=|-foffload-options=-march=)?){MODELS[0]}(?=$|[:,])", rf"\g<1>{MODEL}", word) if isinstance(word, str) else word


def has(test):
    """Whether a test, by its full name, is one of the model: it says gfx900 or gcn, or its file does, and the compilers and drivers that its name says know the model."""
    unknown = ([] if MODEL in BY_GCC else ["open(mp|acc)"]) + \
              ([r"clang-15\b|-15\b|-program|(places|leaving)\[gcn-hip"] if MODEL in UNKNOWN else [])
    return bool(re.search(r"/test_gcn[_.]|\[.*(gfx900|gcn)", test)) and not any(re.search(one, test) for one in unknown)


def has_hip(test):
    """Whether a test of HIP programs, by its name, is one of the model: HIP's compiler knows the model, and the test names no other."""
    return MODEL not in UNKNOWN and not re.search("|".join(MODELS[1:] + LATER), test)


def compilers(names):
    """Those of the names of clangs that are installed; clang-22 in place of one that does not know the model."""
    known = [name for name in names if MODEL not in UNKNOWN or int(name.partition("-")[2]) >= 19]
    return [name for name in known + ["clang-22"] * (len(known) < len(names)) if shutil.which(name)]


def version(compiler):
    """Debian 12's device libraries do not know version 6 of code objects, clang 22's default."""
    return ["-mcode-object-version=5"] * (compiler == "clang-22")


def bitcode(model=MODEL):
    """The folder of device libraries. Debian 12 has that of gfx940 for gfx942."""
    debian = pathlib.Path(releases.BITCODE)
    if model not in LATER or (debian / f"oclc_isa_version_{model[3:]}.bc").exists():
        return debian
    folder = pathlib.Path(os.environ.get("WAVETRAP_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build")).resolve() / "tests" / "bitcode"
    folder.mkdir(parents=True, exist_ok=True)
    for name, file in [(file.name, file) for file in debian.glob("*.bc")] + [(f"oclc_isa_version_{model[3:]}.bc", debian / "oclc_isa_version_940.bc")]:
        if not (folder / name).exists():
            (folder / f"{name}.{os.getpid()}").symlink_to(file)
            (folder / f"{name}.{os.getpid()}").rename(folder / name)
    return folder


if __name__ == "__main__":
    print(*(UNKNOWN if sys.argv[1:] == ["later"] else MODELS[1:] + LATER[len(UNKNOWN):]))
