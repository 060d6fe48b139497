"""`wavetrap gem`: the lines and the summary of linux's i915 driver, as its format strings make them."""
import json
import subprocess

import pytest

from conftest import WAVETRAP


def gem(state, *argv, status=0):
    text = state if isinstance(state, str) else json.dumps(state)
    done = subprocess.run([WAVETRAP, "gem", "--state=-", *argv], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stderr if status else done.stdout


# A frame buffer in stolen memory, as a machine with integrated graphics has it after boot.
SCREEN = {"object": "0xffff8800b9e1c000", "pin_global": 1, "tiling": "none", "size": 3 << 20, "read_domains": 0x41,
          "write_domain": 0, "cache_level": "none", "pinned": 1, "stolen": 0x12000,
          "vmas": [{"ggtt": True, "start": 0x40000, "size": 0x300000, "pages": "4K", "view": "normal"}]}


@pytest.mark.parametrize("version, line", [
    ("4.14", "ffff8800b9e1c000:  p        3072KiB 41 00  uncached (pinned x 1) (global)"
             " (ggtt offset: 00040000, size: 00300000, normal) (stolen: 00012000)"),
    ("4.16", "ffff8800b9e1c000:  p        3072KiB 41 00  uncached (pinned x 1) (global)"
             " (ggtt offset: 00040000, size: 00300000, pages: 4K, normal) (stolen: 00012000)"),
    ("5.2", "ffff8800b9e1c000: p        3072KiB 41 00  uncached"
            " (ggtt offset: 00040000, size: 00300000, pages: 4K, normal) (pinned x 1) (stolen: 00012000) (global)"),
])
def test_a_frame_buffer(version, line):
    assert gem([SCREEN], f"--format={version}").splitlines()[0] == line
    if version == "4.16":
        assert gem([SCREEN]).splitlines()[0] == line


def described(**fields):
    """Without the object, and without what every line ends with."""
    line = gem([{"object": 1, "size": 4096, **fields}]).splitlines()[0]
    assert line.startswith("0000000000000001: ")
    return line[18:]


@pytest.mark.parametrize("fields, flags", [
    ({}, "     "), ({"active": True}, "*    "), ({"pin_global": 2}, " p   "), ({"tiling": "X"}, "  X  "),
    ({"tiling": "Y"}, "  Y  "), ({"userfault_count": 1}, "   g "), ({"mapped": True}, "    M"),
    ({"active": 1, "pin_global": 1, "tiling": "Y", "userfault_count": 3, "mapped": 1}, "*pYgM"),
])
def test_flags(fields, flags):
    assert described(**fields)[:5] == flags


def test_size_in_kib_takes_eight_columns():
    assert described(size=123456789 * 1024)[5:].startswith(" 123456789KiB 00 00 ")
    assert described(size=4096)[5:].startswith("        4KiB 00 00 ")


@pytest.mark.parametrize("level, llc, text", [
    ("none", True, " uncached"), ("LLC", True, " LLC"), ("LLC", False, " snooped"), ("L3_LLC", True, " L3+LLC"),
    ("WT", True, " WT")])
def test_cache_levels(level, llc, text):
    line = gem({"has_llc": llc, "objects": [{"size": 4096, "cache_level": level}]}).splitlines()[0]
    assert line.endswith(f"00 00 {text} (pinned x 0)")


def test_dirty_purgeable_and_a_name():
    assert described(dirty=True, purgeable=True, name=7).endswith(" uncached dirty purgeable (name: 7) (pinned x 0)")


def test_views_of_the_global_table():
    planes = [{"width": 3, "height": 4, "stride": 5, "offset": 6}, {"width": 7, "height": 8, "stride": 9, "offset": 10}]
    text = "[(3x4, stride=5, offset=6), (7x8, stride=9, offset=10)]"
    base = {"ggtt": True, "start": 0x1000, "size": 0x2000, "pages": ["4K", "64K"]}
    head = " (ggtt offset: 00001000, size: 00002000, pages: M"
    assert described(vmas=[{**base, "view": "rotated", "planes": planes}]).endswith(f"{head}, rotated {text})")
    partial = {**base, "view": "partial", "offset": 0x5000, "length": 0x3000}
    assert described(vmas=[partial]).endswith(f"{head}, partial [00005000+3000])")
    # Only later drivers know the remapped view.
    remapped = [{"size": 4096, "vmas": [{**base, "view": "remapped", "planes": planes}]}]
    assert f"{head}, remapped {text})" in gem(remapped, "--format=5.2")
    assert f"{head})" in gem(remapped, "--format=4.16")


def test_a_process_table_a_fence_an_engine_and_the_front_buffer():
    line = described(vmas=[{"ggtt": False, "start": 0x7fff00000000, "size": 0x1000, "pages": 4096},
                           {"ggtt": True, "start": 0, "size": 0x1000, "pages": "2M", "fence": 3, "fence_active": True}],
                     engine="rcs0", frontbuffer=0x11)
    assert line.endswith(" (pinned x 0) (ppgtt offset: 7fff00000000, size: 00001000, pages: 4K)"
                         " (ggtt offset: 00000000, size: 00001000, pages: 2M, normal , fence: 3*)"
                         " (rcs0) (frontbuffer: 0x011)")


def test_the_fence_of_an_object_is_that_of_its_mapping_in_the_global_table():
    vmas = [{"ggtt": False, "start": 0, "size": 0x1000}, {"ggtt": True, "start": 0x2000, "size": 0x1000}]
    assert described(vmas=vmas, fence=5).endswith("(ggtt offset: 00002000, size: 00001000, pages: , normal , fence: 5)")
    for none in (-1, None):
        assert "fence" not in described(vmas=vmas, fence=none)
    assert '"fence": no mapping is in the GGTT' in gem([{"size": 4096, "vmas": vmas[:1], "fence": 0}], status=125)


STATE = {
    "gtt_total": 1 << 32, "mappable_end": 1 << 28, "page_sizes": ["4K", "64K", "2M"], "has_llc": True,
    "batch_pool": {"objects": 1, "bytes": 4096, "inactive": 4096},
    "contexts": {"objects": 2, "bytes": 90112, "active": 8192, "inactive": 4096, "global": 12288},
    "processes": [{"name": "clinfo", "objects": 3, "bytes": 12288, "unbound": 8192, "shared": 4096},
                  {"name": "idle", "objects": 0}],
    "objects": [SCREEN,
                {"object": 2, "size": 8192, "purgeable": True},
                {"object": 3, "size": 1 << 21, "mapped": True, "page_sizes": "2M", "vmas": [{"start": 0, "size": 1 << 21}]},
                {"object": 4, "size": 1 << 16, "purgeable": True, "mapped": True, "page_sizes": "64K"}],
}


def test_the_summary():
    assert gem(STATE).splitlines()[4:] == [
        "4 objects, 5316608 bytes",
        "2 unbound objects, 73728 bytes",
        "2 bound objects, 5242880 bytes",
        "2 purgeable objects, 73728 bytes",
        "2 mapped objects, 2162688 bytes",
        "2 huge-paged objects (2M, 64K) 2162688 bytes",
        "1 display objects (globally pinned), 3145728 bytes",
        "4294967296 [0x0000000010000000] gtt total",
        "Supported page sizes: 2M, 64K, 4K",
        "",
        "[k]batch pool: 1 objects, 4096 bytes (0 active, 4096 inactive, 0 global, 0 shared, 0 unbound)",
        "[k]contexts: 2 objects, 90112 bytes (8192 active, 4096 inactive, 12288 global, 0 shared, 0 unbound)",
        "clinfo: 3 objects, 12288 bytes (0 active, 0 inactive, 0 global, 4096 shared, 8192 unbound)",
    ]


def test_an_array_alone_gives_lines_and_counts():
    lines = gem(STATE["objects"]).splitlines()
    assert len(lines) == 4 + 7 and lines[-1] == "1 display objects (globally pinned), 3145728 bytes"


def test_the_summary_of_later_drivers():
    """Objects in stolen memory cannot be given back to the system."""
    lines = gem(STATE, "--format=5.2").splitlines()
    assert lines[4:6] == ["3 shrinkable objects, 2170880 bytes", ""]
    assert lines[-1].startswith("[k]contexts: ")


def test_lists():
    text = gem(STATE, "--list=gtt").splitlines()
    assert [line[:20] for line in text[:-1]] == ["   ffff8800b9e1c000:", "   0000000000000003:"]
    assert text[-1] == "Total 2 objects, 5242880 bytes, 3145728 GTT size"
    other = {**SCREEN, "object": 9, "stolen": 0x4000, "vmas": []}
    text = gem([SCREEN, other], "--list=stolen").splitlines()
    assert text[0] == "Stolen:"
    assert [line[:20] for line in text[1:-1]] == ["   0000000000000009:", "   ffff8800b9e1c000:"]
    assert text[-1] == "Total 2 objects, 6291456 bytes, 3145728 GTT size"


def test_in_words():
    text = gem([{**SCREEN, "active": True, "tiling": "X", "write_domain": 2}], "--explain")
    for words in ("*   the GPU uses it", "p   pinned in the global table", "X   X-tiled", "41  caches", "CPU, GTT",
                  "02  cache that may hold newer data: RENDER"):
        assert words in text


@pytest.mark.parametrize("state, message", [
    ("", "not JSON"), ("[1,", "not JSON: unexpected end of data at byte 3"), ("[] x", "not JSON"), ("7", "an array of objects is wanted"),
    ([5], "object 0: {…} is wanted"),
    ([{}, {"colour": 1}], 'object 1: "colour" is not known'),
    ([{"size": -1}], 'object 0: "size": -1 is negative'),
    ([{"size": "big"}], 'object 0: "size"'),
    ([{"read_domains": 1 << 32}], "4294967296 is more than 4294967295"),
    ([{"tiling": "Z"}], 'one of "none", "X", "Y" is wanted'),
    ([{"cache_level": 1}], '"L3_LLC"'),
    ([{"engine": "x" * 16}], "at most 15 bytes"),
    ([{"vmas": 3}], '"vmas": an array is wanted'),
    ([{"vmas": [{"ggtt": True, "view": "rotated"}]}], '"planes" belong to a rotated or remapped view'),
    ([{"vmas": [{"view": "partial"}]}], "only mappings in the GGTT have views"),
    ([{"page_sizes": "8K"}], "a page size is"),
    ({"object": []}, '"object" is not known'),
    ({"processes": [{"name": 1}]}, '"processes"[0]: "name": a string is wanted'),
])
def test_mistakes(state, message):
    assert message in gem(state, status=125)


def test_a_batch_of_a_recording(tmp_path):
    """Each line is a state as a batch began; without --batch the last one counts."""
    record = tmp_path / "record"
    record.write_text("".join(json.dumps({"batch": n + 1, "objects": [{"size": 4096, "object": k} for k in range(n)]}) + "\n"
                              for n in range(4)))
    for argv, count in (([], 3), (["--batch=1"], 0), (["--batch=3"], 2)):
        done = subprocess.run([WAVETRAP, "gem", f"--state={record}", *argv], capture_output=True, text=True, check=True)
        assert f"{count} objects, {4096 * count} bytes\n" in done.stdout
    assert "batches are counted from 1" in gem([], "--batch=0", status=125)
    assert "--batch is for what 'exec --gem' has recorded" in gem([SCREEN], "--batch=1", status=125)


def test_json_says_the_same():
    """All fields survive."""
    state = {"gtt_total": 1 << 32, "mappable_end": 1 << 28, "page_sizes": ["4K", "2M"], "has_llc": False,
             "processes": [{"name": 'a "b"', "objects": 3, "bytes": 5, "active": 1, "shared": 2}],
             "objects": [SCREEN, {"object": 2, "size": 8192, "active": 1, "engine": "rcs0", "name": 4, "shared": True, "frontbuffer": 7,
                                  "cache_level": "LLC", "tiling": "Y", "purgeable": True, "dirty": True,
                                  "vmas": [{"ggtt": True, "start": 4096, "size": 8192, "view": "rotated", "fence": 3,
                                            "planes": [{"width": 1, "height": 2, "stride": 3, "offset": 4}] * 2},
                                           {"ggtt": True, "start": 0, "size": 4096, "view": "partial", "offset": 4096, "length": 1},
                                           {"start": 1 << 40, "size": 1 << 21, "pages": "2M", "active": True}]}]}
    assert gem(gem(state, "--json"), "--format=5.2") == gem(state, "--format=5.2")
    assert gem(gem(state, "--json"), "--explain") == gem(state, "--explain")


def test_no_state():
    done = subprocess.run([WAVETRAP, "gem"], capture_output=True, text=True, check=False)
    assert done.returncode == 125 and "--state=FILE" in done.stderr
    done = subprocess.run([WAVETRAP, "gem", "--state=/nonexistent"], capture_output=True, text=True, check=False)
    assert done.returncode == 125 and "/nonexistent" in done.stderr
