#!/usr/bin/python3
"""Compiles the headers of HIP and CUDA once, for the tests' compilers (quick.sh):

    precompile.py DEPENDENCIES STAMP FOLDER hipcc|CLANG CUDA_PATH

FOLDER gets what clang precompiles, a file a side (the host, each kind of GPU) and with optimisation or without: clang takes from a folder the one that fits its
options, if there is one. For hipcc it gets the words, too, that hipcc puts before and after those of its caller. Ninja's DEPENDENCIES are the headers.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

dependencies, stamp, folder, compiler, cuda = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
for old in folder.iterdir():
    old.unlink()
headers = set()


def hipcc_words(level, *only):
    """The words of clang that hipcc calls, before and after its caller's."""
    done = subprocess.run(["hipcc", "--offload-arch=gfx900", level, *only, "-x", "hip", "SOURCE", "-o", "OUT", "-###"], capture_output=True, text=True, check=True,
                          env={**os.environ, "HIPCC_VERBOSE": "1"})
    words = shlex.split(re.search(r"^hipcc-cmd: (.*)$", done.stdout, re.M)[1])
    return words[:words.index(level)], words[words.index("-###") + 1:]


def precompile(command, name, header):
    """What both of clang's own commands make of this header alone."""
    printed = subprocess.run([*command, "-c", os.devnull, "-o", os.devnull, "-###"], capture_output=True, text=True, check=True).stderr
    for words in (shlex.split(line) for line in printed.splitlines() if '"-cc1"' in line):
        kept = [word for word in words[:words.index("-x")] if word not in ("-S", "-emit-obj") and not word.startswith("-cuid=")]
        for option in ("-o", "-main-file-name", "-fcuda-include-gpubinary"):
            if option in kept:
                del kept[kept.index(option):kept.index(option) + 2]
        made = folder / f"{name}-{'device' if '-fcuda-is-device' in kept else 'host'}.pch"
        subprocess.run([*kept, "-emit-pch", *header, "-dependency-file", f"{made}.d", "-sys-header-deps", "-MT", stamp, "-o", made, *words[words.index("-x"):]], check=True)
        listed = pathlib.Path(f"{made}.d")
        read = listed.read_text().replace("\\\n", " ").split(":", 1)[1].split()
        listed.unlink()
        headers.update(read)
        # The same headers make the same file, so that what compilers made with it counts on.
        newest = max(os.stat(path).st_mtime_ns for path in read if path != os.devnull)
        os.utime(made, ns=(newest, newest))


def precompile_all():
    for level in ("-O0", "-O1"):
        if compiler == "hipcc":
            before, after = hipcc_words(level)
            for what, words in (("before", before), ("after", after), ("before-c", hipcc_words(level, "-c")[0])):
                (folder / f"{what}{level}").write_text("".join(f"{word}\n" for word in words))
            precompile([*before, level, "-x", "hip"], level[1:], ["-include", "hip/hip_runtime.h"])
        else:
            for gpu in ("sm_50", "sm_60"):
                precompile([compiler, "-x", "cuda", f"--cuda-path={cuda}", f"--cuda-gpu-arch={gpu}", level], gpu + level, [])


try:
    precompile_all()
except (OSError, subprocess.CalledProcessError, TypeError, ValueError) as problem:   # another release's hipcc: the tests call it itself
    print(f"{compiler}'s headers are not precompiled: {problem}")
    shutil.rmtree(folder)
pathlib.Path(dependencies).write_text(f"{stamp}: {' '.join(sorted(headers - {os.devnull}))}\n")
pathlib.Path(stamp).write_text("")
