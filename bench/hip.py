"""What a HIP program waits for besides its kernels: copies and fills of 64 MiB beside those of the C library, and a launch
that the program waits for beside one that it does not. CPU time of the process."""

import os
import statistics

HERE = os.path.dirname(os.path.abspath(__file__))
BYTES = 64 << 20
FIGURES = [  # what, how often, the peer, its name
    ("copy", 4, "host-copy", "memcpy"),
    ("fill", 4, "host-fill", "memset"),
    ("upload", 10, "host-copy", "memcpy"),
    ("launch", 5000, "queued", "queued launch"),
]
TEXTS = {"copy": "a copy within the GPU, 64 MiB", "fill": "a fill, 64 MiB", "upload": "a copy to the GPU, 64 MiB",
         "launch": "a launch that is waited for"}


def hip(report, folder, wavetrap, run, count):
    program = os.path.join(folder, "copies")
    run(["hipcc", "--offload-arch=gfx900", "-O2", os.path.join(HERE, "kernels", "copies.hip"), "-o", program])
    report.title("GCN: copies, fills and launches of a HIP program (CPU time)")

    def once(what, times):
        return [float(word) for word in run([wavetrap, "exec", program, what, str(times)]).split()]
    for what, times, other, peer in FIGURES:
        runs = [(once(what, times), once(other, times)) for _ in range(count)]
        ours, theirs, elapsed = (statistics.median(values) for values in (
            [a[0] for a, _ in runs], [b[0] for _, b in runs], [a[1] for a, _ in runs]))
        report.row(TEXTS[what], ours, peer, theirs, statistics.median(a[0] / b[0] for a, b in runs), "s")
        report.figure(f"{TEXTS[what]}: {'elapsed' if what == 'launch' else 'rate'}",
                      elapsed if what == "launch" else BYTES / ours, "s" if what == "launch" else "B/s")
