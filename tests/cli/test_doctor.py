"""`wavetrap doctor`: what it says is there can be run, what it says is missing is."""
import os
import re
import shutil
import subprocess

from conftest import WAVETRAP, run

FAMILIES = ["vortex", "gfx900", "gen9", "sm"]


def told(text):
    """By family: {task: what is said of it}."""
    parts = re.split(r"^(\w+)(?::.*)?$", text, flags=re.M)
    return {name: dict(re.findall(r"^  (\S.*?) {2,}(.*)$", lines, re.M)) for name, lines in zip(parts[1::2], parts[2::2])}


def test_all_that_the_checks_install_is_found():
    """make check installs all of it: nothing is missing, and each path that is named exists."""
    done = run("doctor")
    families = told(done.stdout)
    assert done.returncode == 0 and list(families)[:4] == FAMILIES, done.stdout
    models = re.findall(r"^  (\S+)", run("info", "--models").stdout, re.M)
    for family in FAMILIES:
        listed = families[family].pop("models (-g)", models[0]).split(", ")
        assert set(listed) <= set(models) and ("gfx90a" in listed) == (family == "gfx900"), (family, listed)
        for task, said in families[family].items():
            found = re.fullmatch(r"yes(?:: (/[^ ]+)(?: \([\d.]+\))?)?", said)
            assert found and (not found[1] or os.path.exists(found[1])), (family, task, said)
    assert families["verdict"] == dict.fromkeys(FAMILIES, "all is there")
    assert told(run("doctor", "-g", "gfx90a:cu=2").stdout)["verdict"] == {"gfx90a": "all is there"}
    devices = run("info", "--devices").stdout
    assert devices and all(line + "\n" in done.stdout for line in devices.splitlines())


def test_what_is_missing_is_named_with_its_packages(tmp_path):
    """Without commands none is found; the packages are Debian's: those that make check has installed."""
    done = run("doctor", "-g", "gfx900", env={"PATH": str(tmp_path)})
    said = told(done.stdout)["gfx900"]
    assert said["compile HIP"] == "no: hipcc is missing" and said["run HIP programs"].startswith("yes: /"), done.stdout
    assert told(done.stdout)["verdict"] == {"gfx900": "runs programs, but cannot compile HIP; compile OpenCL C; compile GCC's OpenMP and OpenACC"}
    packages = re.search(r"^To get the rest on Debian 12: apt-get install (.*)$", done.stdout, re.M)[1].split()
    assert "hipcc" in packages and "libamdhip64-5" not in packages and len(set(packages)) == len(packages)
    known = subprocess.run(["dpkg-query", "-W", "-f", "${Status}\n", *packages], capture_output=True, text=True)
    assert known.stdout.splitlines() == ["install ok installed"] * len(packages), known.stderr


def test_it_says_what_the_release_does_not_have(tmp_path):
    """The names are Debian 12's. An apt-cache that knows one of them stands for another release."""
    cache = tmp_path / "apt-cache"
    cache.write_text("#!/bin/sh\nfor word; do [ $word != hipcc ] || printf 'Package: hipcc\\nVersion: 5.7\\n\\n'; done\n")
    cache.chmod(0o755)
    (tmp_path / "sh").symlink_to("/bin/sh")
    done = run("doctor", "-g", "gfx900", env={"PATH": str(tmp_path)})
    name = re.search(r'^PRETTY_NAME="(.*)"$', open("/etc/os-release", encoding="utf-8").read(), re.M)[1]
    assert f"To get the rest on {name}: apt-get install hipcc \n" in done.stdout
    absent = re.search(rf"^{re.escape(name)} does not have: (.*)$", done.stdout, re.M)[1].split()
    assert "gcc-12-offload-amdgcn" in absent and "hipcc" not in absent, done.stdout


def test_the_newest_compiler_of_path_is_the_one(tmp_path):
    """doctor, cuda-path and hip-path agree; the one of HIP has its linker beside it."""
    def stubs(*names):
        folder = tmp_path / "-".join(names or ["none"])
        folder.mkdir()
        for name in names:
            (folder / name).write_text(f"#!/bin/sh\necho clang version {name.rpartition('-')[2]}.1.0\n")
            (folder / name).chmod(0o755)
        environment = {"PATH": str(folder)}
        return folder, told(run("doctor", env=environment).stdout), run("cuda-path", "--clang", env=environment), run("hip-path", "--clang", env=environment)
    folder, said, cuda, hip = stubs("clang-15", "clang-19", "clang-22", "ld.lld-15", "ld.lld-19")
    assert said["sm"]["compile CUDA C++"] == f"yes: {folder}/clang-22 (22.1.0)" and cuda.stdout == "clang-22\n"
    assert said["gfx900"]["compile OpenCL C"] == f"yes: {folder}/clang-19 (19.1.0)" and hip.stdout == "clang-19\n"
    folder, said, cuda, hip = stubs("clang-15", "clang", "ld.lld-22")
    assert said["sm"]["compile CUDA C++"] == f"yes: {folder}/clang-15 (15.1.0)" and cuda.stdout == "clang-15\n"
    assert said["gfx900"]["compile OpenCL C"] == "no: clang-19 is missing" and hip.returncode == 125
    folder, said, cuda, hip = stubs()
    assert said["sm"]["compile CUDA C++"] == "no: clang-19 is missing"
    assert all(done.returncode == 125 and not done.stdout and "there is no clang" in done.stderr for done in (cuda, hip))


def test_a_family_that_cannot_run_programs(tmp_path):
    """A command without its libraries: only Vortex's programs run, and exec names the doctor."""
    alone = tmp_path / "bin" / "wavetrap"
    alone.parent.mkdir()
    built = WAVETRAP if isinstance(WAVETRAP, str) else WAVETRAP[-1]
    shutil.copy(os.path.realpath(built), alone)
    for family in FAMILIES:
        done = subprocess.run([alone, "doctor", "-g", family], capture_output=True, text=True)
        assert done.returncode == (0 if family == "vortex" else 1), done.stdout + done.stderr
        assert told(done.stdout)["verdict"][family].startswith("runs programs, but cannot " if family == "vortex" else "cannot run host programs, but cannot "), done.stdout
    assert told(done.stdout)["sm"]["run programs on the CUDA driver API"] == "no: this build left out wavetrap's library for it"
    done = subprocess.run([alone, "exec", "-g", "sm", "true"], capture_output=True, text=True)
    assert done.returncode == 125 and "see 'wavetrap doctor'" in done.stderr, done.stderr


def test_options():
    done = run("doctor", "-g", "nonsense")
    assert done.returncode == 125 and done.stdout == "" and "there is no GPU family 'nonsense'" in done.stderr
    twice = run("doctor", "-g", "sm:cc=8.0", "-g", "gen9")
    assert list(told(twice.stdout))[:2] == ["sm", "gen9"] and "compute capability 8.0" in twice.stdout
