"""`meson install` puts the command, its manual pages and its completion where they are looked for."""
import json
import os
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT, WAVETRAP

BUILD = os.path.dirname(WAVETRAP)


@pytest.mark.skipif(not os.path.exists(f"{BUILD}/build.ninja"), reason="WAVETRAP is not in a build folder")
def test_what_is_installed_works(build):
    target = build.folder / "target"
    extension = Path(BUILD, "extension", "wavetrap.vsix")   # by `make vsix`, or as if by it
    had = extension.exists()
    if not had:
        extension.parent.mkdir(exist_ok=True)
        extension.write_text("an extension")
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", target],
                   check=True, capture_output=True)
    assert next(target.rglob("share/wavetrap/wavetrap.vsix")).read_bytes() == extension.read_bytes()
    if not had:
        extension.unlink()
    files = {str(path.relative_to(target)): path for path in target.rglob("*") if path.is_file()}
    command = next(path for name, path in files.items() if name.endswith("/bin/wavetrap"))
    elf = build.asm("_start: exit 42\n")
    assert subprocess.run([command, "run", elf], timeout=60).returncode == 42
    pages = {os.path.basename(name) for name in files if "/man/man1/" in name}
    assert pages == {page.name for page in (ROOT / "docs" / "man").glob("*.1")}
    for place in ("bash-completion/completions/wavetrap", "zsh/site-functions/_wavetrap",
                  "fish/vendor_completions.d/wavetrap.fish"):
        assert any(name.endswith(place) for name in files), place
    # The documents, the licence, and what kernels are built with.
    for name in ("README.md", "LICENSE", *(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))):
        assert any(path.endswith(f"/share/doc/wavetrap/{name}") for path in files), name
    library = ROOT / "examples" / "vortex" / "lib"
    assert {path.name for name, path in files.items() if "/share/wavetrap/vortex/" in name} == {p.name for p in library.iterdir()}
    # The examples, beside which the pages' commands are typed, and what a CI job runs.
    work = build.folder / "work"
    work.mkdir()
    examples = [name for name in subprocess.run(["git", "ls-files", "examples", "contrib/ci", "contrib/python"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()]
    done = subprocess.run([command, "examples"], cwd=work, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for name in examples:
        place = work / name if name.startswith("examples/") else next(target.rglob("share/wavetrap")) / name.removeprefix("contrib/")
        assert place.read_bytes() == (ROOT / name).read_bytes()
    again = subprocess.run([command, "examples"], cwd=work, capture_output=True, text=True, timeout=60)
    assert again.returncode == 125 and "examples: File exists; name a folder that is not there yet" in again.stderr
    # The library for HIP programs, if it was built.
    library = [path for name, path in files.items() if name.endswith("/wavetrap/libhsakmt.so.1")]
    if os.path.exists(f"{BUILD}/src/runtime/kfd/libhsakmt.so.1"):
        told = subprocess.run([command, "exec", "env"], capture_output=True, text=True, timeout=60).stdout
        assert f"LD_LIBRARY_PATH={library[0].parent.resolve()}" in told
        # It is loaded into other people's programs: what only reports need comes with the first one.
        needed = subprocess.run(["readelf", "-d", library[0]], capture_output=True, text=True, check=True).stdout
        assert "libelf.so" in needed and "libdw.so" not in needed and "libmsgpack" not in needed
        reader = subprocess.run(["readelf", "-d", library[0].parent / "libwavetrap-symbols.so"], capture_output=True, text=True,
                                check=True).stdout
        assert "libdw.so" in reader
    # GDB's commands: found from where the command is, and all of them.
    told = subprocess.run([command, "info", "--gdb-extension"], capture_output=True, text=True, timeout=60)
    assert told.returncode == 0 and told.stdout.strip().startswith(str(target))
    installed = Path(told.stdout.strip()).parent
    source = ROOT / "src" / "frontend" / "gdb"
    assert {path.relative_to(installed) for path in installed.rglob("*.py")} == {
        path.relative_to(source) for path in source.rglob("*.py")}


def test_every_gdb_can_be_told_at_its_start(tmp_path):
    """-Dgdb_startup_dir: a script for GDB's own folder, which loads what is installed."""
    subprocess.run(["meson", "setup", tmp_path / "build", ROOT, "--prefix=/opt/place",
                    f"-Dgdb_startup_dir={tmp_path}/gdbinit.d"], check=True, capture_output=True)
    told = json.loads(subprocess.run(["meson", "introspect", "--installed", tmp_path / "build"], check=True,
                                     capture_output=True, text=True).stdout)
    script = next(source for source, place in told.items() if place.startswith(f"{tmp_path}/gdbinit.d/"))
    assert script.endswith(".gdb")
    sourced = Path(script).read_text().removeprefix("source ").strip()
    assert sourced in told.values() and sourced.endswith("/gdb/wavetrap.py")


def test_the_installed_library_builds_a_kernel(build):
    """start.S, vortex.h, vortex.ld and the rest need nothing else of ours."""
    target = build.folder / "target"
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", target], check=True, capture_output=True)
    lib = next(target.rglob("share/wavetrap/vortex"))
    source = build.path("kernel.c", '#include "vortex.h"\n'
                        "static volatile unsigned sum;\n"
                        "static void each(void *p, size_t i) { __atomic_fetch_add((unsigned *)p, (unsigned)i, __ATOMIC_RELAXED); }\n"
                        "int main(void) { vx_parallel(10, each, (void *)&sum); return (int)sum; }\n")
    picolibc = "/usr/lib/picolibc/riscv64-unknown-elf"
    elf = build.path("kernel.elf")
    libgcc = subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imf", "-mabi=ilp32f", "-print-libgcc-file-name"], check=True,
                            capture_output=True, text=True).stdout.strip()
    subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imaf_zicsr", "-mabi=ilp32f", "-mcmodel=medany", "-std=gnu11", "-O1",
                    "--param=min-pagesize=0", "-isystem", f"{picolibc}/include", f"-I{lib}", "-nostdlib", "-nostartfiles",
                    "-static", f"-T{lib}/vortex.ld", "-o", elf, source, *sorted(lib.glob("*.S")), *sorted(lib.glob("*.c")),
                    "-Wl,--start-group", f"{picolibc}/lib/rv32imf/ilp32f/libc.a", libgcc, "-Wl,--end-group"], check=True)
    assert subprocess.run([WAVETRAP, "run", elf], timeout=60).returncode == 45
