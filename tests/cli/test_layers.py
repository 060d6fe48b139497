"""Who may include whom, as docs/architecture.md has it."""

import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"

# Each folder, and the folders whose headers it may include besides its own.
MAY_INCLUDE = {
    "base": set(),
    "object": {"base"},
    "emulator/machine": {"base", "object"},
    "emulator/vortex": {"base", "object", "emulator/machine"},
    "emulator/gcn": {"base", "object", "emulator/machine"},
    "bus": {"base"},
    "debug/core": {"base"},
    "debug/source": {"base", "debug/core"},
    "debug/vortex": {"base", "bus", "debug/core"},
    "runtime/gcn": {"base", "object", "emulator/machine", "emulator/gcn"},
    "runtime/hsakmt": {"base", "object", "emulator/machine", "emulator/gcn", "debug/source"},
    "target": {"base", "bus", "object", "debug/core", "debug/source", "debug/vortex",
               "emulator/machine", "emulator/vortex", "emulator/gcn", "runtime/gcn"},
    "frontend/console": {"base", "debug/core", "debug/source"},
    "frontend/rsp": {"base", "debug/core", "debug/source"},
}


def folder_of(path):
    """The layer that a file or header belongs to; cli may include everything."""
    for folder in sorted(MAY_INCLUDE, key=len, reverse=True):
        if path.startswith(folder + "/"):
            return folder
    return path.split("/")[0]


def test_every_include_follows_the_architecture():
    wrong = []
    for file in sorted(SOURCE.rglob("*/*.[ch]")):
        name = str(file.relative_to(SOURCE))
        folder = folder_of(name)
        if folder not in MAY_INCLUDE:
            continue
        for header in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
            if header.startswith("wavetrap/"):
                continue
            target = folder_of(header)
            if target != folder and target not in MAY_INCLUDE[folder]:
                wrong.append(f"{name} includes {header}")
    assert not wrong, "\n".join(wrong)


def test_only_what_joins_the_sides_is_without_rules():
    folders = {folder_of(str(f.relative_to(SOURCE))) for f in SOURCE.rglob("*/*.[ch]")}
    assert folders - set(MAY_INCLUDE) <= {"cli"}


def test_one_place_names_the_families():
    """The command and the target's own files take a family as families.c gives it."""
    own = {"gcn.c", "gcn.h", "vortex.c", "vortex.h", "vortex_tables.c", "families.c"}
    wrong = []
    for file in [*sorted((SOURCE / "target").glob("*.[ch]")), *sorted((SOURCE / "cli").glob("*.[ch]"))]:
        if file.name in own or file.name == "serve_registers.c":  # which serves the registers of Vortex's Debug Module
            continue
        for header in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
            if header.startswith(("emulator/vortex", "emulator/gcn", "target/vortex", "target/gcn")):
                wrong.append(f"{file.name} includes {header}")
    assert not wrong, "\n".join(wrong)
