"""Unmodified OpenCL programs, with Debian's Intel runtime, on the emulated Gen9."""
import os
import pathlib
import re
import subprocess

import pytest

import test_ffmpeg_opencl as filters
from conftest import ROOT, WAVETRAP

HERE = pathlib.Path(__file__).parent
KERNELS = re.search(r"^KERNELS = \[(.*)\]", (HERE / "opencl_kernels.py").read_text(), re.M)[1].split(", ")
PYTHON = "/usr/bin/python3"


def run(*argv, gpu="gen9", timeout=300, **options):
    return subprocess.run([WAVETRAP, "exec", "-g", gpu, *map(str, argv)], capture_output=True, text=True, timeout=timeout,
                          check=False, **options)


LEVELS = pytest.mark.parametrize("options", [[], pytest.param(["-cl-opt-disable"], marks=pytest.mark.full)], ids=["optimised", "-cl-opt-disable"])


@pytest.fixture(scope="module")
def example():
    """The example, built by the host's compiler."""
    def build(name):
        out = pathlib.Path(WAVETRAP).parent / "examples" / "opencl"
        subprocess.run(["make", "-s", "-C", ROOT / "examples" / "opencl", f"OUT={out}", out / name], check=True)
        return out / name
    return build


@LEVELS
def test_kernels_of_many_kinds(options):
    """numpy computes the same. One process, since Intel's compiler takes its time to start."""
    done = run(PYTHON, HERE / "opencl_kernels.py", *options)
    assert done.stdout.splitlines() == [f"{name}: ok" for name in KERNELS], done.stdout + done.stderr
    assert done.returncode == 0


IMAGES = "".join(f"{name}: ok\n" for name in ["formats", "kinds", "writes", "in_place", "samplers", "borders", "commands"])


@LEVELS
def test_images(options):
    """Formats, kinds, samplers and the host's commands, against OpenCL's rules."""
    done = run(PYTHON, HERE / "opencl_images.py", *options)
    assert done.stdout == IMAGES, done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.full
def test_the_rules_for_images_are_those_of_another_implementation():
    """PoCL, on the host's processor, passes the same tests."""
    done = subprocess.run([PYTHON, HERE / "opencl_images.py", "RGBA", "BGRA"], capture_output=True, text=True, timeout=300,
                          check=False, env={**os.environ, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"})
    assert done.stdout == IMAGES, done.stdout + done.stderr


@pytest.mark.parametrize("gpus, names", [
    (["gfx900"], []), (["sm"], []), (["gfx900", "gen9"], ["Intel(R) OpenCL HD Graphics"]), (["gen9", "sm"], ["Intel(R) OpenCL HD Graphics"])])
def test_the_loader_shows_only_gpus_that_are_named(gpus, names):
    done = subprocess.run([WAVETRAP, "exec", *(word for gpu in gpus for word in ("-g", gpu)), "clinfo", "--list"], capture_output=True, text=True,
                          timeout=300, check=False)
    assert re.findall(r"^Platform #\d+: (.*)$", done.stdout, re.M) == names, done.stdout + done.stderr


def test_a_write_outside_an_image_is_told():
    done = run(PYTHON, HERE / "opencl_stray_image.py")
    assert re.search(r"channels 13, .*: texel \(37,0,0\) is outside image \d+, which is 37 by 13 by 1", done.stderr), \
        done.stderr


@pytest.mark.parametrize("what,message", [
    ("mip", "image 0 has 4 mip levels: one level is executed"),
    ("planar", "image 0 has format 0x1a5, which cannot be sampled")])
def test_images_that_are_refused_are_told(what, message):
    """Intel's runtime offers cl_khr_mipmap_image and cl_intel_planar_yuv; what the sampler does not execute is reported."""
    done = run(PYTHON, HERE / "opencl_refused.py", what)
    assert re.search(rf"wavetrap: batch.*GPGPU_WALKER: .*sends?.*: {re.escape(message)}", done.stderr), done.stdout + done.stderr
    assert "the program goes on" in done.stdout


def test_only_what_is_emulated_is_there():
    """clinfo sees one platform with one device, whatever the host has."""
    done = run("clinfo", "--raw")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"CL_DEVICE_NAME +(.*)", done.stdout) == ["Intel(R) HD Graphics 530 [0x1912]"]
    assert re.findall(r"CL_DEVICE_MAX_COMPUTE_UNITS +(\d+)", done.stdout) == ["24"]
    assert re.search(r"#PLATFORMS +1$", done.stdout, re.M)
    assert re.findall(r"CL_DEVICE_MAX_CLOCK_FREQUENCY +(\d+)", done.stdout) == ["1150"]


def test_without_a_family_programs_find_the_gpus_of_all(example):
    """The drivers of other families are there, too; Intel's runtime opens all their files that it can."""
    done = subprocess.run([WAVETRAP, "exec", example("vadd")], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Intel(R) HD Graphics 530 [0x1912]\n0 of 1000 sums are wrong\n"


def test_the_number_of_subslices_is_what_programs_see():
    done = run("clinfo", "--raw", gpu="gen9:subslices=2")
    assert re.findall(r"CL_DEVICE_MAX_COMPUTE_UNITS +(\d+)", done.stdout) == ["16"]


def test_an_example(example):
    done = run(example("vadd"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Intel(R) HD Graphics 530 [0x1912]\n0 of 1000 sums are wrong\n"


def test_translated_code_is_counted(example):
    """--no-jit is for GPUs with keys, without, and for those of all families."""
    program = example("vadd")
    told = [subprocess.run([WAVETRAP, "exec", "--stats", *more, program], capture_output=True, text=True, timeout=300, check=True).stderr
            for more in (["-g", "gen9:jit=1"], ["-g", "gen9:jit=1", "--no-jit"], ["-g", "gen9", "--no-jit"], ["--no-jit"])]
    assert re.search(r"^wavetrap: \d+ blocks? translated, in which \d{2,} of the instructions were$", told[0], re.M), told[0]
    assert all("translated" not in t and "1 kernel was launched" in t for t in told[1:]), told


def test_printf(example):
    done = run(example("print"))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"item {i}: {1.5 * i:f}" for i in range(8)]


def test_a_stray_access_is_told_and_does_not_touch_the_program(example):
    """The kernel writes behind its buffer: which group, channels and buffer object is said; the program ends as
    the runtime does after a GPU hang."""
    done = run(example("stray"))
    assert done.returncode != 0
    assert re.search(r"wavetrap: .*GPGPU_WALKER: group \(\d+,0,0\) thread \d+ channels \d+.*instruction 0x[0-9a-f]+ of the "
                     r"kernel: send.*outside surface", done.stderr), done.stderr
    assert "the program's memory is as it was" in done.stdout


def test_two_gpus():
    done = subprocess.run([WAVETRAP, "exec", "-g", "gen9", "-g", "gen9:subslices=1", "clinfo", "--raw"], capture_output=True,
                          text=True, timeout=300, check=False)
    assert re.findall(r"CL_DEVICE_MAX_COMPUTE_UNITS +(\d+)", done.stdout) == ["24", "8"]


def test_clpeak():
    """20,000 launches, each of which is waited for; the report is PoCL's but for the device and the figure."""
    def lines(said):
        return [re.sub(r": [\d.]+ us$", ": N us", line.strip()) for line in said.splitlines()
                if line.strip() and not re.match(r" *(Platform|Device|Driver version|Compute units|Clock frequency) *:", line)]
    done = run("clpeak", "--kernel-latency", gpu="gen9:subslices=1")
    assert done.returncode == 0 and "Device: Intel(R) HD Graphics 530 [0x1912]" in done.stdout, done.stdout + done.stderr
    other = subprocess.run(["clpeak", "--kernel-latency"], capture_output=True, text=True, timeout=300, check=False,
                           env={**os.environ, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"})
    assert lines(done.stdout) == lines(other.stdout) == ["Kernel launch latency : N us"], done.stdout + other.stdout


FILTERS = ["unsharp_opencl", "dilation_opencl", "convolution_opencl=0m=1 1 1 1 1 1 1 1 1:0rdiv=1/9", "transpose_opencl=clock", "nlmeans_opencl=s=2",
           "erosion_opencl", "sobel_opencl", "roberts_opencl", "prewitt_opencl", "colorkey_opencl=red"]


def test_ffmpegs_filters(tmp_path):
    """Each on two pictures: each byte is as on PoCL."""
    last = len(FILTERS) - 1   # which wants colours
    graph = [f"split[yuv][rgb];[yuv]format=yuv420p,hwupload,split={last}" + "".join(f"[from{i}]" for i in range(last)),
             f"[rgb]format=rgba,hwupload[from{last}]"]
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-init_hw_device", "opencl=o", "-filter_hw_device", "o", "-f", "lavfi", "-i",
               "testsrc=size=64x48:rate=5:duration=0.4"]
    for i, name in enumerate(FILTERS):
        graph.append(f"[from{i}]{name},hwdownload,format={'rgba' if i == last else 'yuv420p'}[to{i}]")
    command += ["-filter_complex", ";".join(graph)]
    for i in range(len(FILTERS)):
        command += ["-map", f"[to{i}]", "-f", "framemd5", str(i)]
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    done = run(*command, cwd=tmp_path / "ours")
    assert done.returncode == 0, done.stderr
    subprocess.run(command, timeout=300, check=True, cwd=tmp_path / "theirs", env={**os.environ, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"})
    ours, theirs = ({name: (tmp_path / folder / str(i)).read_text() for i, name in enumerate(FILTERS)} for folder in ("ours", "theirs"))
    assert ours == theirs and len(set(ours.values())) == len(FILTERS)


@pytest.mark.full
def test_hashcat(tmp_path):
    """Its own test of its kernels passes, and it finds the word of an MD5 sum."""
    (tmp_path / "sum").write_text("5d41402abc4b2a76b9719d911017c592")
    done = run("hashcat", "-m", "0", "-a", "3", "--potfile-disable", "--force", "-O", tmp_path / "sum", "hel?l?l", env={**os.environ, "HOME": str(tmp_path)},
               cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Intel(R) HD Graphics 530" in done.stdout and "Finished self-test" in done.stdout
    assert "5d41402abc4b2a76b9719d911017c592:hello" in done.stdout


@pytest.mark.parametrize("routine", ["xaxpy", pytest.param("xdot", marks=pytest.mark.full), pytest.param("xswap", marks=pytest.mark.full)])
def test_clblast(routine):
    """Debian's tests of CLBlast compare with a reference of their own."""
    done = run(f"clblast_test_{routine}")
    assert "HD Graphics 530" in done.stdout
    passed = [int(n) for n in re.findall(r"(\d+) test\(s\) passed", done.stdout)]
    failed = [int(n) for n in re.findall(r"(\d+) test\(s\) failed", done.stdout)]
    assert sum(passed) > 100 and sum(failed) == 0, done.stdout + done.stderr


def test_the_list_of_programs():
    """docs/opencl.md counts the programs that are tests: at least 40, and as many as there are."""
    table = dict(re.findall(r"^\| ([^|]+?) \| (\d+) \|$", (ROOT / "docs" / "opencl.md").read_text(), re.M))
    libraries = (HERE / "test_opencl_libraries.py").read_text()
    routines = sum(len(re.findall(r'"x\w+"', line)) for text in (libraries, pathlib.Path(__file__).read_text())
                   for line in re.findall(r'parametrize\("routine", (.*)\)', text))
    there = {"kernels of many kinds (`tests/host/opencl_kernels.py`)": len(KERNELS),
             "images and samplers (`tests/host/opencl_images.py`)": IMAGES.count(": ok"),
             "Debian's tests of CLBlast": routines, "`clpeak`, `hashcat`": 2, "filters of `ffmpeg`": len(FILTERS) + len([*filters.ONE, *filters.TWO, filters.PAD])}
    for name, key in (("boost_compute.cc", "Boost.Compute"), ("clfft.c", "clFFT"), ("viennacl.cc", "ViennaCL")):
        there[f"programs with {key}"] = int(re.search(rf'"{name}": \([^)]*, (\d+)\)', libraries)[1])
    assert {key: int(count) for key, count in table.items()} == there and sum(there.values()) >= 40
