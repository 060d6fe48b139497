"""`wavetrap gtt`: tables built here by linux's macros (i915_gem_gtt.h, intel-agp.h) are walked."""
import random
import re
import struct
import subprocess
import sys

import pytest

from conftest import ROOT, WAVETRAP


def gtt(*argv, status=0):
    done = subprocess.run([WAVETRAP, "gtt", *map(str, argv)], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr if status == 125 else done.stdout


class Memory:
    """Physical memory in which tables are written."""

    def __init__(self, size=1 << 20):
        self.bytes = bytearray(size)

    def put(self, at, value, size):
        self.bytes[at:at + size] = value.to_bytes(size, "little")

    def file(self, folder):
        path = folder / "memory"
        path.write_bytes(self.bytes)
        return path


# How linux encodes a page's address, for each format of flat tables.
ENCODE = {
    "4": lambda a: a & 0xfffff000 | a >> 28 & 0xf0,
    "5": lambda a: a & 0xfffff000 | a >> 28 & 0xf0,
    "6": lambda a: a & 0xfffff000 | a >> 28 & 0xff0,
    "7": lambda a: a & 0xfffff000 | a >> 28 & 0xff0,
    "hsw": lambda a: a & 0xfffff000 | a >> 28 & 0x7f0,
    "byt": lambda a: a & 0xfffff000 | a >> 28 & 0xff0,
    "8": lambda a: a,
    "9": lambda a: a,
}
WIDTH = {"4": 36, "5": 36, "6": 40, "7": 40, "hsw": 39, "byt": 40, "8": 48, "9": 48}


def generation(name):
    return {"hsw": ["--gen=7", "--variant=hsw"], "byt": ["--gen=7", "--variant=byt"]}.get(name, [f"--gen={name}"])


@pytest.mark.parametrize("name", ENCODE)
def test_the_global_table_of_each_generation(tmp_path, name):
    """Random pages: the physical address is the one that linux's macro put into the entry."""
    pick = random.Random(name)
    size = 8 if name in "89" else 4
    memory, base = Memory(), 0x8000
    wanted = {}
    for _ in range(50):
        index = pick.randrange(0x1000)
        page = pick.randrange(1 << WIDTH[name] - 12) << 12
        memory.put(base + index * size, ENCODE[name](page) | 1, size)
        wanted[index << 12 | pick.randrange(4096)] = page, index
    where = {"4": [f"--reg=PGTBL_CTL={base | 1:#x}"],
             "5": [f"--reg=PGTBL_CTL={base | 1:#x}", "--reg=GMCH_CTRL=0x300"]}.get(name, [f"--root={base:#x}"])
    text = gtt(*generation(name), f"--memory={memory.file(tmp_path)}", *where, *map(hex, wanted))
    lines = text.splitlines()
    # Of two pages at one index the later one is there.
    last = {index: page for page, index in wanted.values()}
    for address, (_, index) in wanted.items():
        result = next(line for line in lines if line.startswith(f"{address:#x} -> "))
        assert int(result.split()[2], 16) == last[index] | address & 0xfff
        assert "4 KiB page" in result
        assert any(line.startswith(f"PTE   0x{index:03x}  at 0x{base + index * size:x}: ") for line in lines)


@pytest.mark.parametrize("entry, words", [
    ("4:0x0", "main memory, uncached"), ("4:0x2", "local memory"), ("4:0x6", "system memory, cached"),
    ("6:0x2", "uncached"), ("6:0x4", "LLC"), ("7:0x2", "uncached"), ("7:0x4", "LLC"), ("7:0x6", "L3 and LLC"),
    ("hsw:0x0", "uncached"), ("hsw:0x4", "write-back in LLC, age 3"), ("hsw:0x6", "write-back in LLC, age 0"),
    ("hsw:0xc", "write-through in eLLC and LLC, age 0"), ("hsw:0xe", "write-through in eLLC and LLC, age 3"),
    ("hsw:0x800", "write-back in eLLC and LLC, age 3"), ("hsw:0x806", "write-back in eLLC and LLC, age 0"),
    ("byt:0x0", "read-only, not snooped"), ("byt:0x2", "writable, not snooped"), ("byt:0x6", "writable, snooped"),
])
def test_cacheability_of_an_entry(tmp_path, entry, words):
    name, bits = entry.split(":")
    memory = Memory(0x2000)
    memory.put(0x1000, 0x5000 | int(bits, 0) | 1, 4)
    where = ["--reg=PGTBL_CTL=0x1001"] if name == "4" else ["--root=0x1000"]
    text = gtt(*generation(name), f"--memory={memory.file(tmp_path)}", *where, "0x123")
    assert text.splitlines()[-1] == f"0x123 -> 0x5123  4 KiB page, {words}"


@pytest.mark.parametrize("code, kilobytes", enumerate([512, 256, 128, 1024, 2048, 1536, 512, 512]))
def test_sizes_of_pgtbl_ctl(tmp_path, code, kilobytes):
    """Bits 3:1 are the size; codes 6 and 7 are unknown, and linux assumes 512 KB."""
    value = 0xabcde000 | 0x5 << 4 | code << 1 | 1
    text = gtt(f"--reg=PGTBL_CTL={value:#x}")
    assert "base    0x5abcde000" in text
    assert f"size    {code}: {kilobytes} KB, {kilobytes * 256} entries" in text
    assert ("unknown page table size, assuming 512KB" in text) == (code > 5)
    assert "enable  1" in text
    # The last page of the table translates, the next one is beyond it.
    memory = Memory(0x200000)
    memory.put(kilobytes * 1024 - 4, 0x7001, 4)
    options = ["--gen=4", f"--memory={memory.file(tmp_path)}", f"--reg=PGTBL_CTL={code << 1 | 1:#x}"]
    end = kilobytes * 256 << 12
    assert f"{end - 1:#x} -> 0x7fff" in gtt(*options, hex(end - 1))
    assert f"GGTT size = {end >> 20}M" in gtt(*options, hex(end - 1))
    assert f"{end:#x}: fault: entry {end >> 12:#x} is beyond the table" in gtt(*options, hex(end), status=1)


def test_a_table_that_is_off():
    assert "0x0: fault: the table is off: bit 0 of PGTBL_CTL is 0" in gtt("--gen=4", "--reg=PGTBL_CTL=0x1000", 0,
                                                                         status=1)


def test_the_second_table_of_gen4(tmp_path):
    memory = Memory(0x3000)
    memory.put(0x2004, 0x9001, 4)
    options = ["--gen=4", "--ppgtt=32", f"--memory={memory.file(tmp_path)}"]
    assert "0x1010 -> 0x9010" in gtt(*options, "--reg=PGTBL_CTL2=0x2001", "0x1010")
    assert "PGTBL_CTL2 (0x20c4) = 0x00002001" in gtt(*options, "--reg=PGTBL_CTL2=0x2001", "0x1010")
    assert "bit 0 of PGTBL_CTL2 is 0" in gtt(*options, "--reg=PGTBL_CTL2=0x2000", "0x1010", status=1)
    assert "--reg=PGTBL_CTL2" in gtt(*options, "0x1010", status=125)


@pytest.mark.parametrize("gmch, kilobytes", [(0x100, 1024), (0x900, 1024), (0xa00, 1536), (0x300, 2048), (0xb00, 2048),
                                             (0x000, 512)])
def test_gen5_takes_the_size_from_gmch_ctrl(tmp_path, gmch, kilobytes):
    """Where GMCH_CTRL has no size, PGTBL_CTL's stays (code 0: 512 KB)."""
    memory = Memory(0x1000)
    memory.put(0, 0x7001, 4)
    text = gtt("--gen=5", f"--memory={memory.file(tmp_path)}", "--reg=PGTBL_CTL=1", f"--reg=GMCH_CTRL={gmch:#x}", 0)
    assert f"GGTT size = {kilobytes}M" in text
    assert "gen5 takes the table's size from GMCH_CTRL" in gtt("--gen=5", "--reg=PGTBL_CTL=1", 0, status=125)


@pytest.mark.parametrize("gen, gmch, megabytes, stolen", [
    (6, 0x0100, 1, 0), (6, 0x0228, 2, 160), (7, 0x0208, 2, 32), (8, 0x0240, 2, 64), (8, 0x0580, 4, 160), (8, 0x01c0, 8, 32),
    (9, 0xf0c0, 8, 4), (9, 0xf3c0, 8, 16), (9, 0x02c0, 8, 64)])
def test_gmch_ctrl(gen, gmch, megabytes, stolen):
    text = gtt(f"--gen={gen}", f"--reg=GMCH_CTRL={gmch:#x}")
    assert f"table   {megabytes * 1024} KB" in text and f"stolen  {stolen} MB" in text


@pytest.mark.parametrize("gen, function", [(4, "i915_gmch_probe"), (5, "i915_gmch_probe"), (6, "gen6_gmch_probe"),
                                           (7, "gen6_gmch_probe"), (8, "gen8_gmch_probe"), (9, "gen8_gmch_probe")])
def test_the_probe_of_each_generation(tmp_path, gen, function):
    memory = Memory(0x1000)
    memory.put(0, 0x7001, 8 if gen > 7 else 4)
    where = ["--reg=PGTBL_CTL=9"] if gen < 6 else ["--root=0"]
    more = ["--reg=GMCH_CTRL=0x300"] if gen == 5 else []
    text = gtt(f"--gen={gen}", f"--memory={memory.file(tmp_path)}", *where, *more, 0)
    assert f"i915_ggtt_probe_hw: {function}\n" in text
    # 2 MiB of 4-byte entries until gen7, 8 MiB of 8-byte ones from gen8 on.
    assert f"GGTT size = {2048 if gen < 8 else 4096}M" in text


def test_a_global_table_of_more_than_32_bits(tmp_path):
    memory = Memory(0x1000)
    memory.put(0, 0x7001, 8)
    text = gtt("--gen=8", f"--memory={memory.file(tmp_path)}", "--root=0", "--ggtt-size=0x1000000", 0)
    assert "We never expected a Global GTT with more than 32bits of address space! Found 8192M!" in text
    assert "GGTT size = 4096M" in text


@pytest.mark.parametrize("name", ["6", "7", "hsw", "byt"])
def test_the_process_table_of_gen6_and_gen7(tmp_path, name):
    """512 PDEs of 4 MiB each; 1,024 PTEs a table."""
    pick = random.Random(name)
    memory = Memory()
    address = pick.randrange(1 << 31)
    page = pick.randrange(1 << WIDTH[name] - 12) << 12
    memory.put(0x4000 + (address >> 22) * 4, 0x6000 | 1, 4)
    memory.put(0x6000 + (address >> 12 & 0x3ff) * 4, ENCODE[name](page) | 1, 4)
    options = [*generation(name), f"--memory={memory.file(tmp_path)}", "--ppgtt=32", "--root=0x4000"]
    text = gtt(*options, hex(address))
    assert [line.split()[0] for line in text.splitlines()[:2]] == ["PDE", "PTE"]
    assert f"{address:#x} -> {page | address & 0xfff:#x}  " in text
    assert "beyond the directory" in gtt(*options, "0x80000000", status=1)
    other = address ^ 0x00400000
    assert f"{other:#x}: fault: PDE {other >> 22:#x} at {0x4000 + (other >> 22) * 4:#x} is 0x0: not valid" in gtt(
        *options, hex(other), status=1)


def tree(memory, address, entries):
    """Writes the entries of a walk from the top down, each table at the next 4 KiB from 0x1000."""
    for depth, (entry, kind) in enumerate(entries):
        index = address >> 39 - 9 * depth & 0x1ff
        if kind == "pte" and len(entries) > 1 and entries[-2][0] & 1 << 11:
            index &= ~15
        memory.put(0x1000 * (depth + 1) + index * 8, entry, 8)


@pytest.mark.parametrize("gen", [8, 9])
@pytest.mark.parametrize("page", ["4K", "64K", "2M", "1G"])
def test_48_bits_and_every_page_size(tmp_path, gen, page):
    pick = random.Random(page)
    memory = Memory()
    address = pick.randrange(1 << 48)
    target = 0x7fc0000000
    middle = [(0x2003, ""), (0x3003, ""), (0x4003, "")]
    entries = {
        "4K": [*middle, (target | 0x83, "pte")],             # PAT: cached
        "64K": [*middle[:2], (0x4803, ""), (target | 0x19, "pte")],  # IPS; PCD and PWT: uncached, read-only
        "2M": [*middle[:2], (target | 0x83, "")],            # PS
        "1G": [middle[0], (target | 0x93, "")],              # PS, PCD
    }[page]
    size = {"4K": 1 << 12, "64K": 1 << 16, "2M": 1 << 21, "1G": 1 << 30}[page]
    text_size = {"4K": "4 KiB", "64K": "64 KiB", "2M": "2 MiB", "1G": "1 GiB"}[page]
    rights = {"4K": "writable, PPAT 4 (cached)", "64K": "read-only, PPAT 3 (uncached)", "2M": "writable, PPAT 0 (write-back)",
              "1G": "writable, PPAT 2 (display in eLLC)"}[page]
    tree(memory, address, entries)
    text = gtt(f"--gen={gen}", f"--memory={memory.file(tmp_path)}", "--ppgtt=48", "--root=0x1000", hex(address))
    assert [line.split()[0] for line in text.splitlines()[:-1]] == ["PML4E", "PDPE", "PDE", "PTE"][:len(entries)]
    assert text.splitlines()[-1] == f"{address:#x} -> {target | address & size - 1:#x}  {text_size} page, {rights}"


def test_a_right_that_one_level_denies(tmp_path):
    memory = Memory()
    tree(memory, 0x12345678, [(0x2003, ""), (0x3001, ""), (0x4003, ""), (0x5003, "pte")])
    assert "read-only" in gtt("--gen=8", f"--memory={memory.file(tmp_path)}", "--ppgtt=48", "--root=0x1000",
                              "0x12345678").splitlines()[-1]


def test_an_address_in_canonical_form(tmp_path):
    """As batches have it: bits 63:48 are copies of bit 47. Other bits there are a fault."""
    memory, address = Memory(), 0x800123456789
    tree(memory, address, [(0x2003, ""), (0x3003, ""), (0x4003, ""), (0x5003, "pte")])
    options = ["--gen=9", f"--memory={memory.file(tmp_path)}", "--ppgtt=48", "--root=0x1000"]
    assert gtt(*options, hex(address)).splitlines()[-1].startswith("0x800123456789 -> 0x5789 ")
    assert gtt(*options, "0xffff800123456789").splitlines()[-1].startswith("0xffff800123456789 -> 0x5789 ")
    for wrong in ("0xffff000123456789", "0x1800123456789"):
        assert "more than the 48 bits" in gtt(*options, wrong, status=1)


def test_32_bits_through_four_registers(tmp_path):
    memory = Memory()
    for pdp in range(4):
        memory.put(0x1000 * (pdp + 1) + 5 * 8, 0x8000 + 0x1000 * pdp | 3, 8)
        memory.put(0x8000 + 0x1000 * pdp + 7 * 8, 0x100000 * (pdp + 1) | 3, 8)
    options = ["--gen=8", f"--memory={memory.file(tmp_path)}", "--ppgtt=32"]
    roots = [f"--root={0x1000 * (pdp + 1):#x}" for pdp in range(4)]
    addresses = [pdp << 30 | 5 << 21 | 7 << 12 | 0x44 for pdp in range(4)]
    text = gtt(*options, *roots, *map(hex, addresses))
    for pdp, address in enumerate(addresses):
        assert f"PDP       {pdp}  {0x1000 * (pdp + 1):#x}\n" in text
        assert f"{address:#x} -> {0x100000 * (pdp + 1) | 0x44:#x}" in text
    assert "PDP3 is not known" in gtt(*options, *roots[:3], hex(addresses[3]), status=1)
    assert "more than the 32 bits" in gtt(*options, *roots, "0x100000000", status=1)


def test_faults_say_which_entry_of_which_level(tmp_path):
    memory = Memory(0x4000)
    address = 1 << 39 | 2 << 30 | 3 << 21 | 4 << 12
    options = ["--gen=8", "--ppgtt=48", "--root=0x1000"]
    steps = [("PML4E 0x1", 0x1008, 0x2003), ("PDPE 0x2", 0x2010, 0x3003), ("PDE 0x3", 0x3018, 0x9003)]
    for name, at, entry in steps:
        text = gtt(*options, f"--memory={memory.file(tmp_path)}", hex(address), status=1)
        assert f"{address:#x}: fault: {name} at {at:#x} is 0x0: not valid (bit 0)" in text
        memory.put(at, entry, 8)
    text = gtt(*options, f"--memory={memory.file(tmp_path)}", hex(address), status=1)
    assert f"{address:#x}: fault: PTE 0x4 lies at 0x9020, where there is no memory" in text
    memory.put(0x1008, 0x2083, 8)
    assert "has PS (bit 7), which is reserved there" in gtt(*options, f"--memory={memory.file(tmp_path)}", hex(address),
                                                            status=1)


def test_memory_in_several_files(tmp_path):
    """A file's name may have an '@'; of files that overlap the last one counts."""
    low, high, odd = tmp_path / "low", tmp_path / "high", tmp_path / "a@b"
    low.write_bytes(struct.pack("<Q", 0))
    high.write_bytes(struct.pack("<Q", 0x7001))
    odd.write_bytes(struct.pack("<Q", 0x9001))
    options = ["--gen=8", "--root=0x10000"]
    assert "-> 0x7000" in gtt(*options, f"--memory={low}", f"--memory={high}@0x10000", 0)
    assert "-> 0x9000" in gtt("--gen=8", "--root=0", f"--memory={odd}", 0)
    assert "-> 0x9000" in gtt(*options, f"--memory={high}@0x10000", f"--memory={odd}@65536", 0)


@pytest.mark.parametrize("argv, message", [
    (["--gen=3", 0], "4 to 9"),
    (["0x1000"], "which generation?"),
    (["--gen=8"], "an ADDRESS or --reg is needed"),
    (["--gen=8", 0], "--root=PHYSICAL is missing"),
    (["--gen=8", "--root=1", 0], "begins at a page"),
    (["--gen=8", "--root=0", "--root=0x1000", 0], "one root"),
    (["--gen=6", "--ppgtt=48", "--root=0", 0], "no table of 48-bit addresses"),
    (["--gen=8", "--variant=hsw", "--root=0", 0], "variants of gen7"),
    (["--gen=7", "--variant=ivb", "--root=0", 0], "hsw (Haswell) and byt (Bay Trail)"),
    (["--gen=4", "--root=0", 0], "PGTBL_CTL"),
    (["--gen=4", 0], "--reg=PGTBL_CTL"),
    (["--gen=8", "--reg=PGTBL_CTL=1", "--root=0", 0], "no PGTBL_CTL"),
    (["--gen=6", "--reg=PGTBL_CTL=1"], "no PGTBL_CTL"),
    (["--gen=4", "--reg=GMCH_CTRL=1"], "not in GMCH_CTRL"),
    (["--reg=HWS_PGA=0"], "PGTBL_CTL and PGTBL_CTL2"),
    (["--reg=PGTBL_CTL"], "has no value"),
    (["--reg=PGTBL_CTL=0x100000000"], "32 bits"),
    (["--gen=8", "--root=0", "--memory=/nonexistent", 0], "/nonexistent"),
    (["--gen=8", "--root=0", "12x"], "12x"),
    (["--gen=8", "--root=0", "--ggtt-size=5", 0], "multiple of 4096"),
])
def test_mistakes(argv, message):
    assert message in gtt(*argv, status=125)


def test_the_sessions_of_the_documentation(tmp_path):
    """docs/intel-memory.md: its program is run, its state is saved, `gtt` and `gem` print what the page shows.

    Its kernel's fault and the report of a program that runs are tested with kernels and host programs.
    """
    page = (ROOT / "docs" / "intel-memory.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", page, re.S)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    (state,) = re.findall(r"```json\n(.*?)```", page, re.S)
    (tmp_path / "screen.json").write_text(state)
    sessions = re.findall(r"```console\n\$ wavetrap (g.*?)\n(.*?)```", page, re.S)
    assert len(sessions) == 3
    for command, wanted in sessions:
        done = subprocess.run([WAVETRAP, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.stdout == wanted
