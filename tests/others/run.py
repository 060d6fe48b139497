#!/usr/bin/env python3
"""Runs programs of others for AMD's GPUs that stand compiled in FOLDER (data of theirs in FOLDER/data), each with code for all models, as tests/others/programs.txt says: no
program of the list is part of this project. A line has the program (suite/name), its arguments, the models (*: all), and a regular expression that its output must have. A program
is right if it ends with status 0 and has printed it. The exit status is 1 if one is wrong on a model that is right on the first one of its models. Which instructions they have
executed is said of those that a gfx900 does not have. What is in --results=FILE is not run again.

    tests/others/run.py FOLDER [--gpus=gfx900,gfx906,gfx908,gfx90a] [--limit=SECONDS] [--results=FILE] [NAME...]
"""
import argparse
import collections
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WAVETRAP = os.environ.get("WAVETRAP", HERE.parent.parent / "build" / "wavetrap")
GPUS = ["gfx900", "gfx906", "gfx908", "gfx90a"]


def programs(folder):
    """Name, arguments, models, expected text of each line."""
    for line in (HERE / "programs.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, arguments, models, expected = (part.strip() for part in line.split("|", 3))
            yield name, shlex.split(arguments.replace("DATA", str(folder / "data"))), GPUS if models == "*" else models.split(","), expected


def instructions(path, gpu):
    """Names by address of the code for a GPU, of each object in the program."""
    with tempfile.TemporaryDirectory() as folder:
        bundles, code, text = pathlib.Path(folder) / "bundles", pathlib.Path(folder) / "code", []
        subprocess.run(["llvm-objcopy-15", "-O", "binary", "--only-section=.hip_fatbin", path, bundles], check=True)
        for bundle in bundles.read_bytes().split(b"__CLANG_OFFLOAD_BUNDLE__")[1:]:
            bundles.write_bytes(b"__CLANG_OFFLOAD_BUNDLE__" + bundle)
            subprocess.run(["clang-offload-bundler-15", "-unbundle", "-type=o", f"-targets=hipv4-amdgcn-amd-amdhsa--{gpu}", f"-input={bundles}", f"-output={code}"], check=True)
            text.append(subprocess.run(["llvm-objdump-22", "-d", code], capture_output=True, text=True, check=True).stdout)
    return [{int(at, 16): re.sub("_(e32|e64|dpp|sdwa)$", "", name) for name, at in re.findall(r"^\t(\w+).*// ([0-9A-F]{12}):", one, re.M)} for one in text]


def run(path, arguments, gpu, limit, *options):
    """The program's end; it may take so many seconds of a processor."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([WAVETRAP, "exec", "-g", gpu, *options, path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)), check=False)


def is_right(path, arguments, gpu, expected, limit):
    done = run(path, arguments, gpu, limit)
    return done.returncode == 0 and re.search(expected, done.stdout.decode(errors="replace")) is not None


def executed_by(path, arguments, gpu, wanted, limit):
    """Which of the wanted instructions the program executes; of several code objects, whose addresses may be equal, nothing is known."""
    names = instructions(path, gpu)
    if len(names) != 1 or not wanted & set(names[0].values()):
        return []
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "profile"
        run(path, arguments, gpu, 5 * limit, f"--profile=json:{profile}")
        counted = {int(one["pc"], 16) for one in map(json.loads, profile.read_text(encoding="utf-8").splitlines()) if "pc" in one} if profile.exists() else set()
    return sorted(wanted & {names[0][pc] for pc in counted & names[0].keys()})


def rows(gpu):
    """Names of its instructions."""
    return {line.split()[0] for line in subprocess.run([WAVETRAP, "info", "--isa", "-g", gpu], capture_output=True, text=True, check=True).stdout.splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--gpus", default=",".join(GPUS))
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path(os.devnull))
    options = parser.parse_intermixed_args()
    folder, gpus = options.folder.resolve(), options.gpus.split(",")
    known = {tuple(key): value for key, value in map(json.loads, options.results.read_text(encoding="utf-8").splitlines())} if options.results.is_file() else {}
    wrong, missing, right, executed = [], [], collections.Counter(), collections.defaultdict(set)
    new = {gpu: rows(gpu) - rows(gpus[0]) for gpu in gpus}
    for name, arguments, models, expected in programs(folder):
        if options.names and name not in options.names:
            continue
        if not (folder / name).exists():
            missing.append(name)
            continue
        said = {}
        for gpu in (gpu for gpu in gpus if gpu in models):
            if (name, gpu) not in known:
                good = is_right(folder / name, arguments, gpu, expected, options.limit)
                known[name, gpu] = good, executed_by(folder / name, arguments, gpu, new[gpu] - executed[gpu], options.limit) if good else []
                with options.results.open("a", encoding="utf-8") as out:
                    print(json.dumps([(name, gpu), known[name, gpu]]), file=out)
            said[gpu], which = known[name, gpu]
            right[gpu] += said[gpu]
            executed[gpu].update(which)
        if not all(said.values()):
            print(f"{name}: wrong on {', '.join(gpu for gpu, good in said.items() if not good)}", flush=True)
            wrong += [name] if next(iter(said.values())) else []
    print(f"right: {', '.join(f'{gpu} {right[gpu]}' for gpu in gpus)}; not there: {len(missing)}")
    print(f"right on the first model, wrong on another: {', '.join(wrong) or 'none'}")
    for gpu in gpus[1:]:
        print(f"{gpu}: {len(executed[gpu])} of {len(new[gpu])} instructions that a {gpus[0]} does not have; not {', '.join(sorted(new[gpu] - executed[gpu]))}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
