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
    "emulator/gen": {"base", "object", "emulator/machine"},
    "emulator/sm": {"base", "object", "emulator/machine"},
    "bus": {"base"},
    "debug/core": {"base"},
    "frontend/console": {"base", "debug/core", "debug/source"},
    "debug/source": {"base", "debug/core"},
    "debug/vortex": {"base", "bus", "debug/core"},
    "debug/gcn": {"base", "object", "debug/core"},
    "runtime/common": {"base", "emulator/machine"},
    "runtime/gen": {"base", "object", "emulator/machine", "emulator/gen", "runtime/common"},
    "runtime/gcn": {"runtime/common", "base", "object", "emulator/machine", "emulator/gcn"},
    "runtime/devfs": {"base"},
    "runtime/drm": {"base", "emulator/machine", "emulator/gen", "runtime/common", "runtime/devfs"},
    "runtime/hsakmt": {"base", "object", "emulator/machine", "emulator/gcn", "debug/source", "runtime/common", "runtime/devfs"},
    "target": {"base", "bus", "object", "debug/core", "debug/source", "debug/vortex", "debug/gcn",
               "emulator/machine", "emulator/vortex", "emulator/gcn", "emulator/sm", "runtime/gcn", "emulator/gen", "runtime/gen", "runtime/common"},
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
    own = {"gcn.c", "gcn.h", "gcn_debugger.c", "gcn_debugger.h", "gen.c", "gen.h", "gen_registers.c", "sm.c", "sm.h", "vortex.c", "vortex.h", "vortex_tables.c", "families.c"}
    # The registers of Vortex's Debug Module; the page tables of Intel's GPUs.
    about_one_family = {"serve_registers.c", "gtt.c", "explain_trap.c"}
    wrong = []
    for file in [*sorted((SOURCE / "target").glob("*.[ch]")), *sorted((SOURCE / "cli").glob("*.[ch]"))]:
        if file.name in own or file.name in about_one_family:
            continue
        for header in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
            if header.startswith(("emulator/vortex", "emulator/gcn", "emulator/gen", "target/vortex", "target/gcn")):
                wrong.append(f"{file.name} includes {header}")
    assert not wrong, "\n".join(wrong)


# Folders whose files are in layers: no two files of them call each other, not even through others.
IN_LAYERS = [
    "base",
    "bus",
    "bus/jtag",
    "debug/core",
    "debug/source",
    "debug/vortex",
    "debug/vortex/conformance",
    "emulator/machine",
    "frontend/rsp",
]


def calls_between_files(folder):
    """Which file of a folder uses which, by the functions and tables that they define: {"a.c": {"b.c"}}."""
    comment_or_text = r'/\*.*?\*/|"(?:[^"\\]|\\.)*"'
    text = {f.name: re.sub(comment_or_text, "", f.read_text(), flags=re.S) for f in (SOURCE / folder).glob("*.c")}
    definition = r"^(?!static\b|typedef\b|#)[A-Za-z_][\w \*]*?\b(\w+)\([^;{}]*\)\s*\{"
    table = r"^const [\w ]+?\b(\w+)(?:\[\w*\])? ="
    home = {name: file for file in text for kind in (definition, table) for name in re.findall(kind, text[file], re.M)}
    return {file: {home[word] for word in re.findall(r"\w+", text[file]) if word in home} - {file} for file in text}


def test_files_of_a_folder_call_in_one_direction():
    for folder in IN_LAYERS:
        calls = calls_between_files(folder)
        assert any(calls.values()), f"no calls found in {folder}"
        while calls:
            lowest = [file for file in calls if not calls[file] & set(calls)]
            assert lowest, f"a circle among these files of {folder}: {sorted(calls)}"
            for file in lowest:
                del calls[file]
