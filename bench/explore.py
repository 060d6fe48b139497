"""Many schedules: runs a second of `wavetrap explore`, beside as many `wavetrap run` one after the other; and of the systematic search."""
import os
import subprocess
import sys
import time

RUNS = 200
MANY = 2000  # of ranks, whose start takes longer
KERNEL = """.version 8.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 word)
{
    .reg .b32 %r<4>; .reg .b64 %w; .reg .pred %p;
    ld.param.u64 %w, [word];
    mov.u32 %r2, 3;
LOOP: ld.volatile.global.u32 %r1, [%w];
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%w], %r1;
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %p, %r2, 0;
    @%p bra LOOP;
    ret;
}
"""


def explore(report, folder, wavetrap, pairs, count):
    path = os.path.join(folder, "explore.ptx")
    with open(path, "w", encoding="ascii") as f:
        f.write(KERNEL)
    kernel = ["--grid=4", "--block=1", "--arg=zeros:4", path]

    def rate(runs, *commands):
        begin = time.monotonic()
        for command in commands:
            done = subprocess.run([wavetrap, *command], capture_output=True, text=True)
            if done.returncode not in (0, 113):
                sys.exit(f"bench: {' '.join(command)} failed ({done.returncode}): {done.stderr}")
        return runs / (time.monotonic() - begin)

    def several(jobs):
        return rate(RUNS, ["explore", f"--runs={RUNS}", f"--jobs={jobs}", *kernel])

    def searched():
        return rate(5000, ["explore", "--systematic", "--runs=5000", f"--save={folder}/outcome-", *kernel])
    report.title(f"explore: schedules a second of four blocks on the SM that update a word ({RUNS} runs)")
    a, b, ratio = pairs(lambda: several(1), lambda: rate(RUNS, *[["run", f"--schedule=random:{i}", *kernel] for i in range(RUNS)]), count)
    report.row("explore --jobs=1", a, "wavetrap run", b, ratio, "runs/s")
    for jobs in (2, 8):
        a, b, ratio = pairs(lambda jobs=jobs: several(jobs), lambda: several(1), count)
        report.row(f"explore --jobs={jobs}", a, "--jobs=1", b, ratio, "runs/s")
    program = os.path.join(os.path.dirname(os.path.realpath(wavetrap)), "wavetrap-explore-mpi")
    if os.path.exists(program):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

        def ranks(number):
            """Ranks that make runs; one more hands them out."""
            begin = time.monotonic()
            done = subprocess.run(["mpirun", "-q", "--oversubscribe", "-n", str(number + 1), program, f"--runs={MANY}", *kernel],
                                  env=environment, capture_output=True, text=True)
            if done.returncode not in (0, 113):
                sys.exit(f"bench: {program} failed ({done.returncode}): {done.stderr}")
            return MANY / (time.monotonic() - begin)
        for number in (1, 2, 8):
            a, b, ratio = pairs(lambda number=number: ranks(number), lambda: rate(MANY, ["explore", f"--runs={MANY}", "--jobs=1", *kernel]), count)
            report.row(f"explore-mpi, {number} ranks that run", a, "--jobs=1", b, ratio, "runs/s", "with mpirun's start")
    a, b, ratio = pairs(searched, lambda: several(1), count)
    report.row("explore --systematic", a, "--jobs=1", b, ratio, "runs/s")
