"""Who may include whom, as docs/architecture.md has it."""

import collections
import os
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", SOURCE.parent / "build"))

# Each folder, and the folders whose headers it may include besides its own.
MAY_INCLUDE = {folder: set(uses.split()) for folder, uses in
               (line.split(":") for line in (SOURCE / "layers.txt").read_text().splitlines() if not line.startswith("#"))}


def folder_of(path):
    """The layer that a file or header belongs to; cli may include everything."""
    for folder in sorted(MAY_INCLUDE, key=len, reverse=True):
        if path.startswith(folder + "/"):
            return folder
    return path.split("/")[0]


def test_one_file_names_versions_of_llvm():
    """The others ask it which one there is (base/llvm.h). LLVM 14 is a fact: the last one that reads pointers with types."""
    named = {(str(file.relative_to(SOURCE)), text) for file in sorted(SOURCE.rglob("*.[ch]")) for line in file.read_text().splitlines()
             for text in re.findall(r'\b(?:clang|lldb?|ld\.lld|llvm|llvm-[a-z]+|opt|llc|libclc|libomp5?|libLLVM(?:\.so)?)[-.]\d\d\b', " ".join(re.findall(r'"[^"]*"', line)))}
    assert {(file, text) for file, text in named if file != "cudapath/rtc/nvvm.c"} == set(), named
    assert {text for file, text in named} <= {"llvm-as-14", "llvm-14"}, named


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


def test_the_layers_themselves_are_no_circle():
    assert not circles(MAY_INCLUDE)


def test_the_command_alone_is_without_rules():
    folders = {folder_of(str(f.relative_to(SOURCE))) for f in SOURCE.rglob("*/*.[ch]")}
    assert folders - set(MAY_INCLUDE) == {"cli"}


def test_nothing_stands_on_the_command():
    """What cli shares with the library is in session and report."""
    assert not [folder for folder, uses in MAY_INCLUDE.items() if "cli" in uses]
    uses = [str(f.relative_to(SOURCE)) for f in SOURCE.rglob("*.[ch]") if '#include "cli/' in f.read_text()]
    assert uses and not [name for name in uses if not name.startswith("cli/")]


def test_one_place_names_the_families():
    """The command, session, report and the target's own files take a family as registry.c gives it."""
    own = {"gcn.c", "gcn.h", "gcn_arguments.c", "gcn_arguments.h", "gcn_debugger.c", "gcn_debugger.h", "gcn_program.c", "gcn_program.h", "gcn_process.c", "gcn_process.h", "gcn_host.c", "gcn_no_process.c", "gen_no_process.c", "gen.c", "gen.h", "gen_debugger.c", "gen_debugger.h", "gen_region.c", "gen_registers.c",
           "gen_text.c", "gen_word.c", "sm.c", "sm.h", "sm_process.c", "sm_process.h", "vortex.c", "vortex.h", "vortex_bundle.c", "vortex_bundle.h", "vortex_host.c", "vortex_process.c", "vortex_process.h", "vortex_tables.c", "registry.c"}
    # The registers of Vortex's Debug Module; the page tables of Intel's GPUs; code objects of AMD's.
    about_one_family = {"serve_registers.c", "gtt.c", "explain_trap.c", "info_gcn.c"}
    wrong = []
    for file in [f for folder in ("target", "report", "session", "cli") for f in sorted((SOURCE / folder).glob("*.[ch]"))]:
        if file.name in own or file.name in about_one_family:
            continue
        for header in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
            if header.startswith(("emulator/vortex", "emulator/gcn", "emulator/gen", "target/vortex", "target/gcn")):
                wrong.append(f"{file.name} includes {header}")
    assert not wrong, "\n".join(wrong)


FAMILIES = "gcn gen gen9 gfx900 sm toy vortex".split()


def families_as_text(text):
    """Comparisons with a family's name: a string of its own, or a comparison of the member `family`."""
    return re.findall(rf'"(?:{"|".join(FAMILIES)})"|\bstr\w*cmp\([^;]*?\bfamily\b', re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def test_checks_compare_no_familys_name():
    """They ask the family's memory model (wt_machine_ops.memory_model)."""
    assert len(families_as_text('strcmp(m->ops->family, other) || strcmp(a, "sm"); /* "sm" */')) == 2
    assert not [f.name for f in (SOURCE / "check").glob("*.[ch]") if families_as_text(f.read_text())]


# Folders with circles of files that call each other: the files that all of these circles go through, and why they do.
HUBS = {
    "debug/source": ({"compile.c", "compile_names.c"}, "parts of an expression are expressions; a static member is a variable of its name"),
    "emulator/gcn": ({"device.c", "trap.c", "groups.c", "exec/operand.c"}, "the device has all parts, which stop or wake it; a "
                     "trap is part of the issue that raises it"),
    "emulator/gen": ({"device.c", "send.c", "exec.c", "prepare.c", "typed.c"}, "the device has all parts; SEND's table names them; preparation names the "
                     "functions that execute"),
    "emulator/sm": ({"trap.c"}, "an error is part of the fetch that raises it, and the warp goes on in the handler"),
    "emulator/vortex": ({"access.c", "dm.c", "simt.c"}, "decoding names the functions that execute, and a store decodes anew; "
                        "the Debug Module executes injected instructions"),
    "frontend/console": ({"console.c"}, "commands run other commands: those of breakpoints, `source`"),
    "runtime/kfd": ({"open.c", "queues.c", "processor.c", "ioctl.c"}, "one process: opening makes all parts, and a fault is "
                       "explained by all of them"),
}


def folders():
    """The layers and the folders without rules: a layer's rooms are one folder here."""
    return sorted({folder_of(str(f.relative_to(SOURCE))) for f in SOURCE.rglob("*/*.c")})


def text_of(file):
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"', "", file.read_text(), flags=re.S)


FUNCTION = r"^(?!static\b|typedef\b|#)[A-Za-z_][\w \*]*?\b(\w+)\([^;{}]*\)\s*\{"
DECLARATION = r"^(?!static\b|typedef\b|#)[A-Za-z_][\w \*]*?\b(\w+)\([^;{}]*\)[^;{}]*;"


def calls_between_files(folder):
    """Which file of a folder uses which, by the functions and tables that they define: {"a.c": {"room/b.c"}}."""
    files = {str(f.relative_to(SOURCE)): f for f in (SOURCE / folder).rglob("*.c")}
    text = {name.removeprefix(folder + "/"): text_of(f) for name, f in files.items() if folder_of(name) == folder}
    table = r"^const [\w \*]+?\b(\w+)(?:\[\w*\])* ="
    own = r"^(?:static|typedef)\b[^;={}]*?\b(\w+)(?:\(|\[| =|;)"
    home = {name: file for file in text for kind in (FUNCTION, table) for name in re.findall(kind, text[file], re.M)}
    calls = {}
    for file in text:
        words = set(re.findall(r"(?<!\.)(?<!->)\b\w+", text[file])) - set(re.findall(own, text[file], re.M))
        calls[file] = {home[word] for word in words if word in home} - {file}
    return calls


def circles(edges):
    """The sets of two nodes or more each of which leads to each other one."""
    reach = {}
    for start in edges:
        seen, todo = set(), [start]
        while todo:
            for node in edges.get(todo.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    todo.append(node)
        reach[start] = seen
    found = {frozenset({a} | {b for b in reach[a] if a in reach.get(b, ())}) for a in edges if a in reach[a]}
    return sorted(sorted(circle) for circle in found)


def test_files_of_a_folder_call_in_one_direction():
    for folder in folders():
        calls = calls_between_files(folder)
        assert any(calls.values()) or len(calls) < 7 or folder == "runtime/common", f"no calls found in {folder}"
        found = circles(calls)
        hubs = HUBS[folder][0] if folder in HUBS else set()
        for hub in hubs:
            others = hubs - {hub}
            assert circles(without(calls, others)), f"{folder}: no circle is left that {hub} alone is in: take it off HUBS"
        found = circles(without(calls, hubs))
        assert not found, f"files of {folder} that call each other in a circle: {found}"


def without(edges, nodes):
    return {node: to - nodes for node, to in edges.items() if node not in nodes}


def include_tree():
    """
    Who includes whom: {"folder/file": {"folder/other"}}. A .c file and its header are one node; a header with
    functions of several files stands for itself.
    """
    home = {}
    for file in SOURCE.rglob("*/*.c"):
        for name in re.findall(FUNCTION, text_of(file), re.M):
            home.setdefault(name, set()).add(str(file.relative_to(SOURCE))[:-2])
    shared = set()
    for file in SOURCE.rglob("*/*.h"):
        name = str(file.relative_to(SOURCE))[:-2]
        for function in re.findall(DECLARATION, text_of(file), re.M):
            if home.get(function, {name}) != {name}:
                shared.add(name)
    node = lambda header: header + ".h" if header in shared else header
    tree = {}
    for file in SOURCE.rglob("*/*.[ch]"):
        name = str(file.relative_to(SOURCE))
        own = node(name[:-2]) if name.endswith(".h") else name[:-2]
        headers = re.findall(r'^#include "([^"]+)\.h"', file.read_text(), re.M)
        tree.setdefault(own, set()).update({node(header) for header in headers} - {own})
    return tree


def test_the_tree_of_includes_has_no_circle():
    tree = include_tree()
    assert len(tree) > 300, "too few files found"
    assert not circles(tree), f"files that include each other in a circle: {circles(tree)}"


def test_a_circle_is_found():
    """The search itself: two circles that share no file, and a chain."""
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"f"}, "f": {"e"}}
    assert circles(edges) == [["a", "b", "c"], ["e", "f"]]
    assert circles(without(edges, {"b"})) == [["e", "f"]]


# Folders all of whose headers have a comment before each function: what it does, units, ranges, errors, who frees.
DOCUMENTED = ["api", "base", "bus", "cli", "debug", "emulator", "expr", "frontend", "object", "report", "runtime", "session", "target"]


def test_functions_of_headers_are_documented():
    """A probe's operation (WT_PROBE_FN) is described in probe.h."""
    missing, count = [], 0
    for folder in DOCUMENTED:
        for file in sorted((SOURCE / folder).rglob("*.h")):
            depth, before = 0, ""
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if depth == 0 and re.match(r"(?!typedef\b|WT_PROBE_FN\b|#)[A-Za-z_][\w \*]*?\b\w+\(", line):
                    count += 1
                    if not before.endswith("*/"):
                        missing.append(f"{file.relative_to(SOURCE)}:{number}: {line}")
                depth += line.count("{") - line.count("}")
                before = line.rstrip()
    assert count > 1800, "too few functions found"
    assert not missing, "functions without a comment:\n" + "\n".join(missing)


# Functions of debugger.h that the GDB server does not call: its test double of the debugger lacks them.
NOT_FAKED = set("""
    wt_debugger_open wt_debugger_begin_changes wt_debugger_end_changes wt_debugger_drop_touches wt_debugger_unrecorded
    wt_debugger_find_home wt_debugger_check_breakpoint wt_debugger_insert_breakpoint wt_debugger_remove_breakpoint wt_debugger_pass_breakpoint wt_debugger_take_command_runs wt_debugger_can_ignore
    wt_debugger_ignore wt_debugger_set_auto_lanes
    wt_watch_condition_new wt_watch_condition_end wt_debugger_try_watchpoints wt_debugger_watched_values wt_debugger_undo_access wt_debugger_bind_watch
    wt_debugger_other_side wt_debugger_set_code wt_debugger_take_core_file wt_debugger_device wt_debugger_dispatch
    wt_wave_items wt_wave_item wt_debugger_begin_slice wt_debugger_take_slice""".split())


def test_the_fake_debugger_has_what_the_gdb_server_calls():
    """A function that it lacked would be the real one, called with the test double's structure."""
    declared = set(re.findall(DECLARATION, text_of(SOURCE / "debug/core/debugger.h"), re.M))
    fake = set(re.findall(FUNCTION, text_of(SOURCE.parent / "tests/unit/fake_debugger.c"), re.M))
    called = set(re.findall(r"\w+", "".join(text_of(file) for file in (SOURCE / "frontend/rsp").glob("*.[ch]"))))
    assert len(declared) > 80, "too few functions found"
    assert declared - fake == NOT_FAKED, "fake_debugger.c implements each other function of debugger.h, and none of these"
    assert not NOT_FAKED & called, "functions that the GDB server calls"


def test_fuzz_targets_call_functions_that_are_declared():
    """`make check` builds them last; a function that became static is told here."""
    fuzz = SOURCE.parent / "tests/fuzz"
    called = set(re.findall(r"\b((?:wt|vx|gcn|gen|sm|cli|drm|ptx|cuda|cubin|http|i915|hsa|rsp|dap|jtag)_\w+)\(", "".join(text_of(file) for file in fuzz.glob("*.[ch]"))))
    told = set(re.findall(r"\w+", "".join(text_of(file) for folder in (SOURCE, SOURCE.parent / "include", fuzz) for file in folder.rglob("*.h"))))
    own = set(re.findall(FUNCTION.replace("(?!static\\b|", "(?!"), "".join(text_of(file) for file in fuzz.glob("*.c")), re.M))
    assert len(called) > 50, "too few calls found"
    unknown = called - told - own
    assert not unknown


def test_files_are_no_longer_than_800_lines():
    """A longer file is split at its chapters."""
    lines = {str(file.relative_to(SOURCE)): file.read_text().count("\n") for file in SOURCE.rglob("*.[ch]")}
    assert len(lines) > 600, "too few files found"
    assert not {name: count for name, count in lines.items() if count > 800}


# Functions that nothing in the product calls but tests, and why they are there.
NOT_CALLED = {
    "gcn_device_save_context gcn_device_restore_context gcn_wave_saved": "hardware: the saving of waves by their trap handler. No driver of ours swaps "
        "waves out; tests run handlers that do it",
    "vx_device_launch": "hardware: the registers by which a host sets up a "
        "launch, and what it does with one; the command has options for the same values",
    "wt_machine_no_cell wt_machine_no_piece wt_machine_no_operand wt_machine_no_operand_name wt_machine_no_operands wt_machine_untold": "for a family without tables of operands, as the toy",
    "gen_compact": "the inverse of gen_expand, by which tests prove it",
    "wt_f16_class wt_f16_eq wt_f16_le wt_f16_lt wt_f16_to_i32 wt_f16_to_i64 wt_f16_to_u32 wt_f16_to_u64 wt_f32_le wt_f64_le":
        "a macro makes all operations of each format",
    "wt_debugger_insert_breakpoint wt_debugger_remove_breakpoint": "breakpoints of conditions without a plan, the short way for tests of the core",
    "wt_expr_loops": "fuzz targets leave out expressions that need not end",
    "context_forget_failures": "fuzz targets stand for many programs in one process, of which some have a kernel that fails",
    "wt_timeline_set_interval": "tests keep snapshots oftener than the timeline itself",
}


def symbols(files, *options):
    """(kind, name) of each symbol of object files, those of link-time optimisation, too."""
    out = subprocess.run(["gcc-nm", "-A", *options, *files], capture_output=True, text=True, check=False).stdout
    for line in out.splitlines():
        kind, name = line.split()[-2:]
        yield kind, name.split("@")[0]


def test_functions_are_called():
    """A function that its own file alone calls is static, so that the compiler tells when that call goes, too. Those that tests call need not be."""
    found = list(symbols(sorted((BUILD / "src").rglob("*.o"))))
    defined, used = ({name for kind, name in found if kind == which} for which in "TU")
    offered = {name for _, name in symbols([f for f in (BUILD / "src").rglob("*.so*") if f.is_file()], "-D", "--defined-only")}
    assert len(defined) > 3000 and len(offered) > 500, "too few functions found"
    named, own = collections.Counter(), collections.Counter()       # the second: by their own file, beside the definition
    for file in SOURCE.rglob("*.c"):
        words = collections.Counter(re.findall(r"\w+", text_of(file)))
        named.update(words.keys())
        own.update(word for word in words if words[word] > 1)
    tests = set(re.findall(r"\w+", "".join(text_of(f) for folder in ("tests", "bench") for f in (SOURCE.parent / folder).rglob("*.[ch]"))))
    alone = {name for name in defined - used - offered if named[name] < 2 and not (name in tests and own[name])}
    listed = {name for names in NOT_CALLED for name in names.split()}
    assert not alone - listed, f"static, dead, or to be listed: {sorted(alone - listed)}"
    assert not listed - alone, f"called: take them off the list: {sorted(listed - alone)}"
