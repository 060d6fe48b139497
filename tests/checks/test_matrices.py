"""Planted mistakes around products of matrices and accumulation registers: each is found as its kind at its line, and its twin has no finding."""
import re

import pytest

import checks
import test_hazard as hazard

SOURCE = checks.HERE / "matrices.cl"
KERNELS = re.findall(r"^KERNEL (\w+)\((?s:.*?)^}$", SOURCE.read_text(encoding="utf-8"), re.M)
OF_TWO_GROUPS = ("same_tile_of_two_groups", "sums_of_k_are_not_atomic")
KINDS = {"use": {"undefined-branch"}, "race": {"race"}, "out": {"out-of-bounds"}}


def body_of(name):
    """Its lines, each a number and a text."""
    lines = list(enumerate(SOURCE.read_text(encoding="utf-8").splitlines(), 1))
    begin = next(n for n, line in lines if line.startswith(f"KERNEL {name}("))
    return lines[begin:next(n for n, line in lines if n > begin and line == "}")]


@pytest.fixture(scope="module", name="program", params=[pytest.param((model, level), id=f"{model} {level}", marks=[] if level == "-O2" else pytest.mark.full)
                                                            for model in ("gfx908", "gfx90a") for level in ("-O0", "-O2")])
def program_(request, tmp_path_factory):
    """The model, and the code objects of the mistakes and of the twins."""
    model, level = request.param
    made = [tmp_path_factory.mktemp("matrices") / "matrices" for _ in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hazard, "MODEL", model)
        for out, twin in zip(made, ([], ["-DTWIN"])):
            hazard.compile_(SOURCE, out, "-x", "cl", "-cl-std=CL2.0", f"--rocm-device-lib-path={hazard.BITCODE}", level, "-g", "-w", "-mcode-object-version=4", *twin)
    return model, level, *made


def found_in(program, name, folder):
    groups = 2 if name in OF_TWO_GROUPS else 1
    return hazard.reported(program, name, folder, f"--grid={128 * groups}", "--block=128", "--arg=zeros:4096", "--arg=pattern:1024=0000803f00000040", checks="init,race,memory,hazard")


def test_there_are_enough_of_them():
    assert len(KERNELS) >= 12


@pytest.mark.parametrize("name", KERNELS)
def test_a_mistake_is_found_and_its_twin_has_none(program, monkeypatch, tmp_path, name):
    model, level, wrong, twin = program
    monkeypatch.setattr(hazard, "MODEL", model)
    marks = {number: mark for number, line in body_of(name) for mark in re.findall(r"// (use|race|out)$", line)}
    found, done = found_in(wrong, name, tmp_path)
    kinds = {one["finding"] for one in found}
    assert KINDS[next(iter(marks.values()))] <= kinds <= {*KINDS[next(iter(marks.values()))], "undefined-result", "undefined-branch"}, done.stderr
    places = {place["line"] for one in found for place in (one, *one.get("calls", []))}
    assert places & set(marks), done.stderr
    found, done = found_in(twin, name, tmp_path)
    assert not found and done.returncode == 0, done.stderr
