"""
Programs of all sorts under `wavetrap exec`: which of them find the emulated GPUs, and what those that
cannot are told.
"""
import functools
import os
import re
import pathlib
import shutil
import signal
import subprocess

import pytest

from conftest import BUILD, ROCM_6, ROOT, WAVETRAP, compiled, environment, hip, wavetrap

SYSTEM = pathlib.Path("/usr/lib/x86_64-linux-gnu/libhsakmt.so.1")


@functools.cache
def built(name, *flags, source="agents.c"):
    """That program, linked with these flags."""
    path = BUILD / "tests" / "host" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    subprocess.run(["gcc", "-o", new, pathlib.Path(__file__).parent / source, "-I/usr/include/rocm", "-lhsa-runtime64", *flags], check=True)
    os.replace(new, path)
    return path


def changed(tmp_path, *changes):
    """work.hip's program, with bytes replaced by others: what another compiler would have made."""
    path = tmp_path / "program"
    data = compiled("work.hip").read_bytes()
    for old, new in changes:
        assert len(old) == len(new) and data.count(old) == 1, old
        data = data.replace(old, new)
    path.write_bytes(data)
    path.chmod(0o755)
    return path


def bundle(target):
    return b"hipv4-amdgcn-amd-amdhsa--" + target


def version(number):
    """The first bytes of a code object of that version."""
    return b"\x7fELF\x02\x01\x01\x40" + bytes([number - 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0xe0])


# ---- code that cannot run ----


def test_code_for_another_gpu_is_named(tmp_path):
    program = changed(tmp_path, (bundle(b"gfx900"), bundle(b"gfx803")))
    done = hip(program, "print")
    assert (f"wavetrap: {program}: it holds code for gfx803, not for gfx900: compile with "
            "--offload-arch=gfx900\n") in done.stderr
    assert done.returncode == (0 if ROCM_6 else -signal.SIGABRT)  # the runtime's own answer


def test_code_objects_that_the_runtime_skips_are_named(tmp_path):
    """It says nothing itself: the kernel just does not run."""
    newest = 5 if ROCM_6 else 4
    program = changed(tmp_path, (version(4), version(newest + 1)))
    done = hip(program, "print")
    assert done.stderr.startswith(f"wavetrap: {program}: its code objects are of version {newest + 1}, which this runtime "
                                  f"skips: it will not find the kernels. Compile with -mcode-object-version={newest}\n")
    assert "hello" not in done.stdout


def test_compressed_code_is_named(tmp_path):
    program = changed(tmp_path, (b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB".ljust(24, b"\0")))
    assert "its code for GPUs is compressed, and damaged" in hip(program, "print").stderr


def test_good_code_is_passed_over_in_silence(tmp_path):
    program = changed(tmp_path, (bundle(b"gfx900"), bundle(b"gfx900")))
    assert hip(program, "print").stderr == ""


# ---- which library is loaded ----


def test_a_program_for_the_runtime_itself():
    done = hip(built("agents"), gpus=["gfx900", "gfx900:cu=2"])
    assert (done.stdout, done.stderr, done.returncode) == ("CPU\ngfx900\ngfx900\n", "", 0)


@pytest.mark.parametrize("how", ["--disable-new-dtags", "--enable-new-dtags"])
def test_a_program_that_brings_its_own_library(tmp_path, how):
    """By DT_RPATH, which comes before LD_LIBRARY_PATH, or DT_RUNPATH, which comes behind."""
    program = tmp_path / "agents"
    (tmp_path / "lib").mkdir()
    shutil.copy(SYSTEM, tmp_path / "lib" / "libhsakmt.so.1")
    shutil.copy(built("agents" + how, f"-Wl,{how}", "-Wl,-rpath,$ORIGIN/lib"), program)
    bare = subprocess.run([program], capture_output=True, text=True, env=environment())
    assert bare.returncode == 1  # no driver
    assert hip(program).stdout == "CPU\ngfx900\n"


def test_a_library_path_of_the_users_own_stays_behind_ours(tmp_path):
    shutil.copy(SYSTEM, tmp_path / "libhsakmt.so.1")
    env = {**environment(), "LD_LIBRARY_PATH": str(tmp_path)}
    assert wavetrap("exec", built("agents"), env=env).stdout == "CPU\ngfx900\n"


def test_a_script_and_what_it_starts(tmp_path):
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\necho starts\n{built('agents')} && exec {built('agents')}\n")
    script.chmod(0o755)
    done = hip(script)
    assert (done.stdout, done.stderr) == ("starts\nCPU\ngfx900\nCPU\ngfx900\n", "")


def test_a_program_that_loads_no_library(tmp_path):
    source, program = tmp_path / "s.c", tmp_path / "static"
    source.write_text('#include <stdio.h>\nint main(void) { puts("runs"); return 7; }\n')
    subprocess.run(["gcc", "-static", "-o", program, source], check=True)
    env = {k: v for k, v in environment().items() if k != "LD_PRELOAD"}
    done = wavetrap("exec", program, env=env)
    assert (done.stdout, done.returncode) == ("runs\n", 7)
    assert done.stderr == (f"wavetrap exec: {program}: it is linked statically: it will not find the emulated "
                           "GPUs\n")


@pytest.mark.skipif(os.geteuid() != 0 or os.statvfs("/tmp").f_flag & os.ST_NOSUID, reason="only root makes a set-user-ID program of another user")
@pytest.mark.parametrize("mode", [0o4755, 0o4711, 0o755])
def test_a_program_with_rights_of_its_own(tmp_path, mode):
    """The dynamic loader gives it no library of the caller's, which is said."""
    program = tmp_path / "program"
    shutil.copy("/bin/true", program)
    os.chown(program, 65534, 65534)
    program.chmod(mode)
    done = wavetrap("exec", program, env={k: v for k, v in environment().items() if k != "LD_PRELOAD"})
    assert done.returncode == 0 and ("takes no libraries from you: it will not find the emulated GPUs" in done.stderr) == (mode != 0o755), done.stderr


@pytest.mark.parametrize("mode, said", [(0o644, "Permission denied"), (0o755, "Exec format error")])
def test_files_that_are_no_programs(tmp_path, mode, said):
    path = tmp_path / "file"
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(100))
    path.chmod(mode)
    done = hip(path)
    assert (done.stderr.splitlines()[-1], done.returncode) == (
        f"wavetrap exec: {path}: cannot be run: {said}", 126)


# ---- programs that open the driver's device files ----


def caller(tmp_path, source, *flags):
    """A program of AMD's driver and libdrm. Where Debian 13 has the driver's header no .pc file says."""
    program = tmp_path / source.removesuffix(".c")
    libdrm = subprocess.run(["pkg-config", "--cflags", "--libs", "libdrm", "libdrm_amdgpu"], capture_output=True, text=True,
                            check=True).stdout.split()
    subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-I/usr/include/hsakmt", "-o", program, pathlib.Path(__file__).parent / source, *flags, *libdrm], check=True)
    return program


def test_the_functions_that_only_rocm_6_calls(tmp_path):
    """A program of theirs has the same answers on either Debian, twice in one process: the driver closes though libdrm's handle holds it."""
    done = hip(caller(tmp_path, "thunk6.c", "-lhsakmt"))
    lines = ["properties", "available memory", "ages of events", "libdrm's handle", "exported memory", "snapshots", "refusals", "closed"]
    assert (done.stdout.splitlines(), done.stderr, done.returncode) == (2 * lines, "", 0)


def test_a_program_that_uses_the_drivers_device_files_alone(tmp_path):
    """/dev/kfd, a render node, which libdrm_amdgpu takes for one of amdgpu's, /sys; wave control and address watch of linux 4.20,
    the debug-trap operations of 6.5. Who looks for host programs meanwhile does not end the program's debugging of itself."""
    program = caller(tmp_path, "device_file.c", f"-I{ROOT / 'src/runtime/kfd/uapi'}")
    done = hip(program, f"{WAVETRAP} ps > {tmp_path}/ps")
    assert str(program) in (tmp_path / "ps").read_text()
    assert done.stdout.splitlines() == ["found", "memory", "queue", "a kernel has run", "shared", "event",
                                        "wave control and address watch", "debug trap", "error", "closed"]
    assert (done.stderr, done.returncode) == ("wavetrap: gfx900 (node 1): a packet of type 9 is not for GPUs\n", 0)
    bare = subprocess.run([program], capture_output=True, text=True, env=environment())
    assert "kfd >= 0" in bare.stdout  # without wavetrap there is no driver


def test_the_topologys_files_are_there_while_the_program_runs(tmp_path):
    """`cat` and `ls` see them; they are gone with it."""
    env = {**environment(), "TMPDIR": str(tmp_path)}
    folder = "/sys/class/kfd/kfd/topology/nodes"
    done = wavetrap("exec", "--gpu=gfx900:cu=7", "--gpu=gfx900", "cat", f"{folder}/1/properties", f"{folder}/2/gpu_id",
                    env=env)
    assert "simd_count 28\n" in done.stdout and "gfx_target_version 90000\n" in done.stdout
    assert done.stdout.splitlines()[-1].isdigit()
    assert not list(tmp_path.iterdir())
    whole = wavetrap("exec", "--gpu=gfx908:cu=120", "cat", f"{folder}/1/caches/119/properties", f"{folder}/1/properties", env=env)
    assert "caches_count 121\n" in whole.stdout and "simd_count 480\n" in whole.stdout and whole.returncode == 0
    for gpu, bits, properties in ("gfx900", 0x3803a280, 1494), ("gfx908", 0x3c13a280, 1494), ("gfx90a", 0x3c17a280, 470):
        said = wavetrap("exec", "-g", gpu, "cat", f"{folder}/1/properties", env=env).stdout
        assert f"\ndebug_prop {properties}\n" in said and int(said.split("\ncapability ")[1].split()[0]) & ~0x8 == bits, (gpu, said)
    waves = {"gfx900": 10, "gfx906": 10, "gfx908": 10, "gfx90a": 8, "gfx942": 8}
    said = wavetrap("exec", *(f"-g{gpu}" for gpu in waves), "cat", *(f"{folder}/{node}/properties" for node in range(1, len(waves) + 1)), env=env).stdout
    assert re.findall(r"^max_waves_per_simd (\d+)$", said, re.M) == [str(count) for count in waves.values()]
    missing = wavetrap("exec", "cat", f"{folder}/3/gpu_id", env=env)
    assert missing.returncode == 1 and "No such file" in missing.stderr


# ---- what passes through ----


def test_input_and_output_are_the_programs():
    env = {k: v for k, v in environment().items() if k != "LD_PRELOAD"}
    done = wavetrap("exec", "sh", "-c", "cat; echo wrong >&2; exit 3", env=env, input="one\ntwo\n")
    assert (done.stdout, done.stderr, done.returncode) == ("one\ntwo\n", "wrong\n", 3)


@pytest.mark.parametrize("kernels", [False, True])
def test_memory_copy_of_the_hsa_runtime_is_as_memcpy(kernels):
    """hsa_memory_copy is done without kernels, unless the program wants them."""
    program = built("memory_copy", source="memory_copy.c")
    env = environment() | ({"HSA_ENABLE_SDMA": "0"} if kernels else {})
    done = wavetrap("exec", "--stats", program, env=env)
    assert (done.returncode, done.stdout) == (0, "right\n"), done
    assert ("of the GPU's runtime) were launched" in done.stderr) == kernels, done.stderr
    found = wavetrap("exec", "--check=memory", program, "beyond", env=env)
    assert f"wavetrap: error: out-of-bounds store of {4 if kernels and not ROCM_6 else 300} bytes" in found.stderr, found.stderr
    assert kernels or "out-of-bounds store of 300 bytes: hsa_memory_copy\n  main in " in found.stderr, found.stderr
