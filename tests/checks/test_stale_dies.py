"""--check=stale on a gfx942 of several dies, each of which has an L2 cache of its own: what one die stores, another one loads by writing back there (buffer_wbl2 sc1) and forgetting
here (buffer_inv sc1), as LLVM's memory model of gfx942 says ("User Guide for AMDGPU Backend"). Each is left out once, and found by both lines; the twin, and one die, have no finding."""
import pytest

import test_hazard as hazard

STORE = "global_store_dword v1, v5, s[4:5]{} ; A\ns_waitcnt vmcnt(0)\n{}\n"
WRITE_BACK, FORGET = "buffer_wbl2 sc1\ns_waitcnt vmcnt(0)", "buffer_inv sc1"
LOAD = "global_load_dword v7, v1, s[4:5]{} ; B\ns_waitcnt vmcnt(0)\n"
SAY, WAIT = "global_store_dword v4, v5, s[4:5] offset:{} sc1\n", ("{0}_%=:\nglobal_load_dword v6, v4, s[4:5] offset:{1} sc1\ns_waitcnt vmcnt(0)\nv_readfirstlane_b32 s8, v6\n"
                                                              "s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 {0}_%=\n")


def of_groups(*code):
    """A kernel whose group n executes code[n]; those of even numbers are on die 0."""
    ways = "".join(f"s_cmp_eq_u32 s2, {n}\ns_cbranch_scc1 group{n}_%=\n" for n in range(len(code)))
    return "v_mov_b32 v4, 0\nv_mov_b32 v5, 1\n" + ways + "".join(f"group{n}_%=:\n{one}s_endpgm\n" for n, one in enumerate(code))


def handed(store="", release=WRITE_BACK, load="", acquire=FORGET):
    """Group 0 stores, 3 loads behind it; 1, on the die of 3, has loaded before."""
    return of_groups(WAIT.format("first", 1024) + STORE.format(store, release) + SAY.format(1028), LOAD.format("").replace(" ; B", "") + SAY.format(1024), "",
                     WAIT.format("then", 1028) + acquire + "\n" + LOAD.format(load))


# name: code that is wrong, what is said of it
WRONG = {"not_written_back": (handed(release="s_nop 0"), "no buffer_wbl2 sc1 there follows it"), "written_back_too_early": (handed(release="s_nop 0").replace(
    "global_store_dword v1", WRITE_BACK + "\nglobal_store_dword v1"), "no buffer_wbl2 sc1 there follows it"),
         "written_back_for_the_group": (handed(release="buffer_wbl2 sc0\ns_waitcnt vmcnt(0)"), "no buffer_wbl2 sc1 there follows it"),
         "not_forgotten": (handed(acquire="s_nop 0"), "no buffer_inv sc1 follows the store"), "forgotten_for_the_group": (handed(acquire="buffer_inv sc0"), "no buffer_inv sc1 follows the store")}
RIGHT = {"handed": handed(), "stored_through": handed(" sc1", "s_nop 0"), "loaded_past": handed(load=" sc1", acquire="s_nop 0"), "for_the_system": handed(
    release="buffer_wbl2 sc0 sc1\ns_waitcnt vmcnt(0)", acquire="buffer_inv sc0 sc1"), "atomic": handed(release="s_nop 0").replace(
        "global_store_dword v1, v5, s[4:5] ; A", "global_atomic_swap v1, v5, s[4:5] ; A")}


@pytest.fixture(scope="module", name="planted")
def planted_(tmp_path_factory):
    """The code object, and the lines of its source."""
    out = tmp_path_factory.mktemp("dies") / "planted"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hazard, "MODEL", "gfx942")
        patch.setattr(hazard, "KERNEL", hazard.KERNEL.replace(".amdhsa_next_free_vgpr 8\n", ".amdhsa_next_free_vgpr 8\n.amdhsa_accum_offset 8\n"))
        return out, hazard.assembled(out, {f"wrong_{name}": code for name, (code, _) in WRONG.items()} | {f"right_{name}": code for name, code in RIGHT.items()})


def reported(planted, folder, monkeypatch, kernel, gpu="gfx942:cu=4,xcc=2"):
    monkeypatch.setattr(hazard, "MODEL", gpu)
    return hazard.reported(planted[0], kernel, folder, "--grid=256", "--block=64", "--arg=zeros:8192", checks="stale")


@pytest.mark.parametrize("name", WRONG)
def test_what_another_die_has_stored_is_found_with_its_store(planted, tmp_path, monkeypatch, name):
    (one,), done = reported(planted, tmp_path, monkeypatch, f"wrong_{name}")
    lines = tuple(hazard.line_with(planted[1], f"wrong_{name}", mark) for mark in "BA")
    assert (one["finding"], one["severity"], one["line"], one["other"]["line"]) == ("stale", "warning", *lines) and WRONG[name][1] in done.stderr and done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [f"wrong_{name}" for name in WRONG])
def test_one_die_has_one_cache(planted, tmp_path, monkeypatch, name):
    found, done = reported(planted, tmp_path, monkeypatch, name, "gfx942:cu=4")
    assert not found and done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [f"right_{name}" for name in RIGHT])
def test_what_is_handed_on_is_no_finding(planted, tmp_path, monkeypatch, name):
    found, done = reported(planted, tmp_path, monkeypatch, name)
    assert not found and done.returncode == 0, done.stderr
