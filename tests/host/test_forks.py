"""A fork beside the first use of a driver, and beside its end: nothing stands still, in the parent and in the child. And what else
programs expect of device files."""
import re
import subprocess

import pytest

from conftest import ROOT, environment, wavetrap

# The runtimes of others have no handlers of fork(): a child finds their locks taken, as on hardware, and uses them no more (-p).
USES = {"gen9": ["/dev/dri/renderD128"], "kfd": ["/dev/kfd"], "amdgpu": ["/dev/dri/renderD176"],
        "hsakmt": ["libhsakmt.so.1", "hsaKmtOpenKFD", "hsaKmtCloseKFD"], "cuda": ["libcuda.so.1", "cuInit"],
        "rocr": ["-p", "libhsa-runtime64.so.1", "hsa_init", "hsa_shut_down"], "hip": ["-p", "libamdhip64.so.5", "hipInit"],
        "opencl": ["-p", "libOpenCL.so.1", "clGetPlatformIDs"], "level-zero": ["-p", "libze_loader.so.1", "zeInit"]}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("forks") / "forks"
    subprocess.run(["gcc", "-O1", "-o", path, ROOT / "tests" / "host" / "forks.c", "-ldl", "-lpthread"], check=True)
    return path


# Runtimes of others start slowly, 0.1 s of a processor in each process.
@pytest.mark.parametrize("driver, times", [pytest.param(driver, times, marks=[pytest.mark.full] if times == 1000 or n % 3 else [])
                                           for n, (driver, words) in enumerate(USES.items()) for times in ((30 if words[0] == "-p" else 100), 1000)])
def test_forks_beside_the_first_use(program, driver, times):
    """Half of all tries stood still, on the Gen9, while the lock of the table of device files was taken before a fork."""
    done = wavetrap("exec", program, *USES[driver], times, timeout=390)
    assert done.stdout.endswith(f"{times} processes, 0 wrong\n"), done.stdout + done.stderr[-2000:]


def test_a_handler_opens_a_node_beside_its_first_use(tmp_path):
    """open() may be called in a signal's handler: it came while the thread held the lock of the GPUs' making, and waited for it."""
    source, path = tmp_path / "handler.c", tmp_path / "handler"
    source.write_text("""
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static const char node[] = "/dev/dri/renderD128";
static volatile sig_atomic_t opened;
static void handler(int signal)
{
    opened += open(node, O_RDWR) >= 0;
}
int main(void)
{
    int good = 0;
    for (int i = 0; i < 60; i++) {
        int status = 1;
        if (fork() == 0) {
            const struct itimerval once = {.it_value = {0, 20 + i % 20 * 30}};
            signal(SIGALRM, handler);
            setitimer(ITIMER_REAL, &once, NULL);
            const int fd = open(node, O_RDWR);
            while (!opened)
                usleep(100);
            _exit(fd < 0);
        }
        wait(&status);
        good += status == 0;
    }
    printf("%d good\\n", good);
    return 0;
}
""")
    subprocess.run(["gcc", "-o", path, source], check=True)
    assert wavetrap("exec", "-g", "gen9", path, timeout=200).stdout == "60 good\n"


@pytest.mark.parametrize("gpu, node, said", [
    ("gen9", "renderD128", "i915 20201103 Intel Graphics"), ("gfx900", "renderD176", "amdgpu 20150101 AMD GPU")])
def test_a_render_node_looks_like_one(tmp_path, gpu, node, said):
    """To stat(), fstat() and libdrm's drmGetVersion(), which copies all three texts."""
    source, path = tmp_path / "node.c", tmp_path / "node"
    source.write_text("""
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <xf86drm.h>
int main(int argc, char **argv)
{
    struct stat a = {0}, b = {0};
    const int fd = open(argv[1], O_RDWR), good = !stat(argv[1], &a) && !fstat(fd, &b);
    const drmVersionPtr v = drmGetVersion(fd);
    printf("%d %d %u:%u %u:%u %s %s %s\\n", good, S_ISCHR(a.st_mode) && S_ISCHR(b.st_mode), major(a.st_rdev), minor(a.st_rdev),
           major(b.st_rdev), minor(b.st_rdev), v->name, v->date, v->desc);
    return 0;
}
""")
    subprocess.run(["gcc", "-I/usr/include/libdrm", "-o", path, source, "-ldrm"], check=True)
    done = wavetrap("exec", "-g", gpu, path, f"/dev/dri/{node}")
    minor = node[-3:]
    assert done.stdout == f"1 1 226:{minor} 226:{minor} {said}\n", done.stdout + done.stderr


def test_a_node_that_is_only_looked_at_is_no_gpu_in_use(tmp_path):
    """Intel's runtime opens each render node and asks whose it is. A debugger that finds AMD's GPU then debugs a program of another family."""
    source, path, sockets = tmp_path / "look.c", tmp_path / "look", tmp_path / "sockets"
    sockets.mkdir(mode=0o700)
    source.write_text("""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <xf86drm.h>
int main(void)
{
    const int fd = open("/dev/dri/renderD176", O_RDWR);
    puts(drmGetVersion(fd)->name);
    system("ls $WAVETRAP_SOCKETS");
    struct drm_gem_close close = {.handle = 1};
    printf("%d\\n", drmIoctl(fd, DRM_IOCTL_GEM_CLOSE, &close));
    fflush(stdout);
    return system("ls $WAVETRAP_SOCKETS");
}
""")
    subprocess.run(["gcc", "-I/usr/include/libdrm", "-o", path, source, "-ldrm"], check=True)
    done = wavetrap("exec", "-g", "gfx900", path, env={**environment(), "WAVETRAP_SOCKETS": str(sockets)})
    assert re.fullmatch(r"amdgpu\n-1\n\d+\.gpu\n", done.stdout), done.stdout + done.stderr
