"""What observation costs: a client that counts the bytes of all accesses, one that counts the events, too, and the check of memory, beside the same run
with nobody who observes it. CPU time of the run; and what checks keep in the host's memory."""

import math
import os

from cuda import for_sm
from gcn import BLOCK, for_gcn, for_gen

ITEMS = 4096
MANY = 1 << 18      # that touch a mebibyte of each of two buffers
KERNELS = [("hash", 1000), ("collatz", 20), ("triad", 500), ("gather", 500), ("tiles", 500), ("scratch", 500)]


def observation(report, folder, build, pairs, run, count, vortex):
    bench = os.path.join(build, "bench", "observe-bench")
    numbers, many = os.path.join(folder, "numbers"), os.path.join(folder, "many")
    for name, items in ((numbers, ITEMS), (many, MANY)):
        with open(name, "wb") as f:
            f.write(b"".join((i * 2654435761 % (1 << 32) >> 1).to_bytes(4, "little") for i in range(items)))
    report.title("observation: all accesses counted, or checked, beside a run that nobody observes (CPU time)")
    ratios, aims = {}, {"memory": 2, "race": 6, "init": 5, "three": 10, "sync": 6, "hazard": 6}

    def compare(what, rest):
        interpreted = [rest[0] + (",jit=0" if ":" in rest[0] else ":jit=0"), *rest[1:]]

        def once(way, words=rest):
            return float(run([bench, way, *words]).split()[0])
        for way, text, aim in (("bytes", "accesses", "aim below x3"), ("all", "accesses and events", ""), ("memory", "memory checked", "aim below x8"), ("race", "races", "aim below x25"),
                               ("init", "uninitialised values", "aim below x25"), ("three", "memory, races and uninitialised values", "aim below x25"), ("sync", "barriers", "aim below x25"),
                               ("hazard", "hazards", "aim below x25")):
            if way == "hazard" and not what.startswith("gfx900"):     # the check is not there for the others
                continue
            for beside, words in (("nobody", rest), ("nobody, interpreted", interpreted))[:1 + (way in ("init", "three"))]:
                a, b, ratio = pairs(lambda way=way: once(way), lambda words=words: once("plain", words), count)
                report.row(f"{what}: {text}", a, beside, b, ratio, "s", aim)
                if way in aims:
                    ratios.setdefault((what.split()[0], way, beside), []).append(a / b)
    for name, program in vortex:     # a tile has 256 items: with fewer threads most of it is never written
        compare(f"Vortex {name}", [f"vortex:warps={8 if name == 'tiles' else 1},threads=32", program])
    for title, compiled in (("gfx900", for_gcn), ("Gen9", for_gen), ("SM", for_sm)):
        gpu, program, _ = compiled(run, folder)
        kept = {way: float(run([bench, way, gpu, program, "triad", str(MANY), str(BLOCK), f"file:{many}", f"zeros:{4 * MANY}", "u32:1"]).split()[3])
                for way in ("plain", "memory", "race", "init", "three")}
        for way, most in (("memory", 1), ("race", 6), ("init", 6), ("three", 6)):
            report.figure(f"{title} triad: memory of --check={way.replace('three', 'memory,init,race')} (aim: at most {most})", (kept[way] - kept["plain"]) / (8 * MANY), "bytes a byte touched")
        for name, repeats in KERNELS:
            compare(f"{title} {name}", [gpu, program, name, str(ITEMS), str(BLOCK), f"file:{numbers}", f"zeros:{4 * ITEMS}", f"u32:{repeats}"])
    for (family, way, beside), all_of in ratios.items():
        report.figure(f"{family}: {way} checked, beside {beside} (aim below {aims[way]})", math.exp(sum(map(math.log, all_of)) / len(all_of)), "times, geometric mean")
