"""Products of matrices by the matrix instructions of AMD's GPUs beside one loop of the host in tiles of 64 x 64 x 64, whose operands have been widened before;
and the emulator's run with its kernels recorded beside that without."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SIDE = "1024"
KINDS = {"gfx908": ["f16", "f32", "i8"], "gfx90a": ["f16", "f32", "i8", "f64"]}


def matrices(report, folder, wavetrap, run, pairs, count):
    source, host, gpu = os.path.join(HERE, "kernels", "matrices.cc"), os.path.join(folder, "matrices-host"), os.path.join(folder, "matrices-gpu")
    run(["g++-12", "-O3", "-march=x86-64-v3", source, "-o", host])
    run(["hipcc", *(f"--offload-arch={model}" for model in KINDS), "-O2", source, "-o", gpu], env={**os.environ, "PATH": "/usr/bin:/bin"})

    def once(command, kind, results):
        done = subprocess.run([*command, kind, SIDE], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        sum_, seconds = next((line.split() for line in done.stdout.splitlines() if line[:1].isdigit()), None) or sys.exit(f"bench: {command} failed: {done.stderr}")
        results.add(sum_)
        return float(seconds)

    def cpu(command, kind):
        before = os.times()
        once(command, kind, set())
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system
    for model, kinds in KINDS.items():
        report.title(f"{model}: a product of matrices, {SIDE} by {SIDE}, beside one loop of the host (CPU time while it is computed)")
        for kind in kinds:
            results = set()
            a, b, ratio = pairs(lambda: once([wavetrap, "exec", "-g", model, gpu], kind, results), lambda: once([host], kind, results), count)
            if len(results) != 1:
                sys.exit(f"bench: the product of {kind} is another one on {model} than on the host: {results}")
            report.row(kind, a, "host", b, ratio, "s", "aim x3")
        debug = [wavetrap, "debug", "--nx", "--batch", "-ex", "run", "-g", model]
        a, b, ratio = pairs(lambda: cpu([*debug, gpu], kinds[0]), lambda: cpu([*debug, "--no-history", gpu], kinds[0]), count)
        report.row(f"{kinds[0]}, recorded", a, "not recorded", b, ratio, "s", "aim x1.3")
