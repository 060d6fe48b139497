#!/usr/bin/python3
"""Planted defects: the harnesses must catch each of them.

    defects.py [NAME]...

A row changes one place of the source, and names a harness, a family and a seed that must then have a finding. The script copies the
source, builds the command there, sees that the seeds have no finding, plants one defect after the other, and sees that they do. `make full`
runs it; docs/evidence/oracles.md lists the defects.
"""
import collections
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("WAVETRAP_BUILD", ROOT / "build")).resolve()
TREE = BUILD / "defects"
LIBRARIES = ["src/runtime/symbols/libwavetrap-symbols.so", *(f"src/runtime/kfd/{name}" for name in ("libhsakmt.so.1", "libwavetrap-kfd.so", "libwavetrap-rocminfo.so"))]  # for HIP programs

# `old` is in the file once. The family and the seed are ones for which the harness meets the place.
Defect = collections.namedtuple("Defect", "name file old new harness family seed")
DEFECTS = [
    Defect("wrong slot: a hit is taken for one of the wave that the last scan found there", "src/debug/core/known.c",
           "if (id == WT_NO_WAVE || d->ops", "if (id != WT_NO_WAVE || d->ops", "places", "sm", 1),
    Defect("wrong lane: the one that was selected before", "src/debug/core/hits.c",
           ".choose_lane = true};", ".choose_lane = d->threads.mode == WT_THREADS_WAVES};", "places", "sm", 1),
    Defect("old value wrong: what the access has left", "src/target/watches.c",
           "memcpy(hit->before, h->before, sizeof hit->before);", "memcpy(hit->before, h->after, sizeof hit->before);", "places", "gcn", 1),
    Defect("a hit is counted twice", "src/debug/program/stops.c",
           "        p->hits++;\n        if (p->ignore) {\n            p->ignore--;\n            continue;",
           "        p->hits += 2;\n        if (p->ignore) {\n            p->ignore--;\n            continue;", "places", "gcn", 1),
    Defect("reverse stops one early", "src/debug/core/recorded.c",
           "t->backwards ? dbg_arrive(d, err)", "t->backwards ? dbg_go(d, c.time ? c.time - 1 : 0, err)", "places", "rv32", 1),
    Defect("reverse-next leaves one function of a chain of tail calls", "src/debug/program/step.c",
           "            return status;\n    }\n    *done = true;\n", "            return status;\n        break;\n    }\n    *done = true;\n", "places", "gcn", 4),
    Defect("stale registers: rows of an earlier stop count", "src/debug/core/rows.c",
           "c->generation != d->cache.generation[wave]", "false", "places", "rv32", 1),
    Defect("the past is read where the present was", "src/debug/core/recorded.c",
           "    if (d->travel.seen)\n        d->ops->replaced(d->probe);\n", "", "places", "gcn", 5),
    Defect("in the past waves stand where they stood in the present", "src/debug/core/past.c",
           "    dbg_forget_all(d);\n    return dbg_halt_everything(d, err);", "    return dbg_halt_everything(d, err);", "backwards", "rv32", 1),
    Defect("the present, reached again, is told of the wave that was last in the past", "src/debug/core/recorded.c",
           "const bool keeps = backwards || stepping;", "const bool keeps = backwards || stepping || true;", "places", "rv64", 1),
    Defect("a watchpoint stays in the hardware: it is looked for in the lane of now", "src/debug/core/watchpoints.c",
           "w->at.size == r->size && w->thread == r->thread", "w->at.size == r->size && w->at.lane == d->threads.chosen_lane", "places", "gcn", 2),
    Defect("one location of two", "src/debug/source/locations.c",
           "for (size_t i = 0; i < lines && !status; i++)", "for (size_t i = 0; i < lines && i < 1 && !status; i++)", "values", "rv64", 8),
    Defect("finish reads the register beside", "src/debug/program/returned.c",
           'return size <= 2 * x && read_packed(g, "a", 0, x, out, size);', 'return size <= 2 * x && read_packed(g, "a", 1, x, out, size);', "values", "rv64-cxx", 1),
    Defect("a value is read in lane 0", "src/debug/source/evaluate.c",
           "const unsigned lane = r->has_wave ? wt_lanes_lowest(rest) : 0;", "const unsigned lane = rest ? 0 : 0;", "values", "gcn-opencl", 1),
    Defect("one element off", "src/debug/source/compile_numbers.c",
           "scaled(c, index, step, lower, &offset, err)", "scaled(c, index, step, lower - 1, &offset, err)", "values", "rv32", 1),
    Defect("a bit field's place: one bit on", "src/debug/source/children.c",
           "v->bit_offset = m->bit_offset;", "v->bit_offset = m->bit_offset + (m->bit_size > 0);", "values", "rv32", 10),
    Defect("signedness: unsigned integers are signed", "src/debug/source/types.c",
           "type->is_signed = encoding == DW_ATE_signed;", "type->is_signed = encoding != DW_ATE_boolean;", "values", "rv32", 1),
    Defect("stale register: a caller's is read as the called function has it", "src/debug/source/frame_registers.c",
           "frame ? frame->physical : 0, index", "frame ? 0u : 0u, index", "values", "gcn-hip", 1),
    Defect("host program: in the past waves stand where they stood in the present", "src/debug/core/past.c",
           "    dbg_forget_all(d);\n    return dbg_halt_everything(d, err);", "    return dbg_halt_everything(d, err);", "backwards", "gcn-hip", 1),
    Defect("a debugger's breakpoints stay in a program that it has left", "src/runtime/kfd/endpoint.c",
           "    wt_planted_set(&host->planted, false, copy, host);\n", "", "leaving", "gcn-hip", 3),
]


def run(words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)


def copy():
    """The source as it is, and a build folder for it."""
    files = run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True).stdout.split("\n")
    for name in filter(None, files):
        to = TREE / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file() and (not to.exists() or to.read_bytes() != (ROOT / name).read_bytes()):
            shutil.copy2(ROOT / name, to)
    if not (TREE / "build" / "build.ninja").exists():
        run(["meson", "setup", "build"], cwd=TREE, check=True)


def build():
    done = run(["ninja", "-C", "build", *LIBRARIES, "src/cli/wavetrap"], cwd=TREE)
    assert done.returncode == 0, done.stdout[-3000:]
    command = TREE / "build" / "wavetrap"
    if not command.exists():
        command.symlink_to("src/cli/wavetrap")


def finds(defect):
    """The finding of the row's seed with the command as it is built; None: there is none."""
    kept = TREE / "build" / "truth" / f"{defect.harness}-{defect.family}-{defect.seed}"
    shutil.rmtree(kept, ignore_errors=True)
    environment = {**os.environ, "WAVETRAP": str(TREE / "build" / "wavetrap"), "WAVETRAP_BUILD": str(TREE / "build")}
    done = run([sys.executable, HERE / "truth.py", "--harness", defect.harness, "--family", defect.family, "--seed", str(defect.seed), "--whole"],
               env=environment)
    finding = kept / "finding"
    assert finding.exists() or done.returncode == 0, done.stdout + done.stderr
    return finding.read_text() if finding.exists() else None


def main():
    wanted = [d for d in DEFECTS if not sys.argv[1:] or any(word in d.name for word in sys.argv[1:])]
    copy()
    build()
    failed = 0
    for seed in sorted({(d.harness, d.family, d.seed) for d in wanted}):
        found = finds(Defect("", "", "", "", *seed))
        if found:
            print(f"without a defect, {' '.join(map(str, seed))}: {found}")
            failed += 1
    for defect in wanted:
        place = TREE / defect.file
        text = place.read_text() if place.exists() else ""
        if text.count(defect.old) != 1:
            print(f"{defect.name}: NOT PLANTED: its text is {text.count(defect.old)} times in {defect.file}", flush=True)
            failed += 1
            continue
        place.write_text(text.replace(defect.old, defect.new))
        try:
            build()
            # Threads of a host program come in any order: a session may pass the place.
            tries = (finds(defect) for _ in range(4 if "hip" in defect.family else 1))
            found = next((found for found in tries if found), None)
        except AssertionError as error:    # the row says nothing: its source does not compile, or the harness itself has failed
            print(f"{defect.name}: NOT TRIED: {error}", flush=True)
            failed += 1
            continue
        finally:
            place.write_text(text)
        print(f"{defect.name}: {'caught: ' + found.splitlines()[0][:200] if found else 'MISSED'}", flush=True)
        failed += not found
    print(f"{len(wanted) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
