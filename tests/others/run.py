#!/usr/bin/env python3
"""Runs programs of others for AMD's GPUs that stand compiled in FOLDER, each with code for all models, as tests/others/programs.txt says: no program of the list is part
of this project. A line has the program (suite/name), its arguments, the models (*: all), and a regular expression that its output must have. A program is right if it
ends with status 0 and has printed it. The exit status is 1 if one is wrong on a model that is right on the first one of its models.

    tests/others/run.py FOLDER [--gpus=gfx900,gfx906,gfx908,gfx90a] [--limit=SECONDS] [NAME...]
"""
import argparse
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


def programs():
    """Name, arguments, models, expected text of each line."""
    for line in (HERE / "programs.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, arguments, models, expected = (part.strip() for part in line.split("|", 3))
            yield name, shlex.split(arguments), GPUS if models == "*" else models.split(","), expected


def is_right(path, arguments, gpu, expected, limit):
    """Whether the program is right there; it may take so many seconds of a processor."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([WAVETRAP, "exec", "-g", gpu, path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)), check=False)
    return done.returncode == 0 and re.search(expected, done.stdout.decode(errors="replace")) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--gpus", default=",".join(GPUS))
    parser.add_argument("--limit", type=int, default=60)
    options = parser.parse_args()
    wrong, missing, right = [], [], dict.fromkeys(options.gpus.split(","), 0)
    for name, arguments, models, expected in programs():
        if options.names and name not in options.names:
            continue
        path = options.folder.resolve() / name
        if not path.exists():
            missing.append(name)
            continue
        said = {gpu: is_right(path, arguments, gpu, expected, options.limit) for gpu in right if gpu in models}
        for gpu, good in said.items():
            right[gpu] += good
        if said and not all(said.values()):
            print(f"{name}: wrong on {', '.join(gpu for gpu, good in said.items() if not good)}", flush=True)
            wrong += [name] if next(iter(said.values())) else []
    print(f"right: {', '.join(f'{gpu} {count}' for gpu, count in right.items())}; not there: {len(missing)}")
    print(f"right on the first model, wrong on another: {', '.join(wrong) or 'none'}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
