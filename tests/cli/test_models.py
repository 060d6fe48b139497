"""Models of GPUs: their names in --gpu, and that no other place knows them."""
import pathlib
import re
import subprocess

import pytest
from conftest import WAVETRAP

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*words):
    return subprocess.run([WAVETRAP, *words], capture_output=True, text=True, check=False)


def models():
    """{family: {model: keys}} as the command lists them."""
    found = {}
    for line in run("info", "--models").stdout.splitlines():
        if not line.startswith(" "):
            found[line.split(",")[0].rstrip(":")] = here = {}
        else:
            here[line.split()[0]] = line.rpartition("; ")[2] if "; " in line and "=" in line.rpartition("; ")[2] else ""
    return found


def devices(gpu):
    """What host programs see of a GPU, without its name as it was given."""
    return run("info", "--devices", "-g", gpu).stdout.partition(": ")[2]


def test_each_family_has_models():
    found = models()
    assert set(found) == {"vortex", "gfx900", "gen9", "sm"} and all(found.values())
    assert "gfx900" in found["gfx900"] and found["sm"]["sm_80"] == "cc=8.0" and found["vortex"]["vortex-v3"] == "profile=v3"


@pytest.mark.parametrize("family", ["vortex", "gfx900", "gen9", "sm"])
def test_a_model_is_its_family_with_its_keys(family):
    """`info --devices` says of both the same; Vortex's, which host programs do not see by profile, by the profile's registers."""
    for model, keys in models()[family].items():
        full = f"{family}:{keys}" if keys else family
        say = (lambda gpu: run("info", "--profile", "-g", gpu).stdout) if family == "vortex" else devices
        assert say(model) == say(full) != "", model


def test_other_keys_follow_a_model_and_its_own_are_not_given_twice():
    assert devices("sm_80:sms=2") == devices("sm:cc=8.0,sms=2") != devices("sm:cc=8.0")
    assert "'cc' is given twice" in run("info", "--devices", "-g", "sm_80:cc=7.0").stderr


def test_gcn_is_amds_family_and_an_unknown_model_is_refused():
    assert devices("gcn:cu=2") == devices("gfx90a:cu=2") != devices("gfx900:cu=2")
    assert devices("gcn:model=gfx906") == devices("gfx906") != devices("gcn")
    assert "wavetrap info --models" in run("info", "--devices", "-g", "gfx901").stderr
    assert "there is no such model" in run("info", "--devices", "-g", "gfx900:model=gfx1").stderr


def test_code_asks_the_model():
    """No name of a GPU of AMD's family stands in code of the emulator, its driver and its probe but in the table of models."""
    wrong = []
    for folder in ("emulator/gcn", "runtime/kfd", "runtime/hip", "runtime/gcn", "debug/gcn", "object"):
        for file in (ROOT / "src" / folder).rglob("*.[ch]"):
            code = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.S)
            wrong += [f"{file.relative_to(ROOT)}: {text}" for text in re.findall(r'"[^"\n]*gfx[0-9a-f]{3}[^"\n]*"', code) if file.name not in ("models.c", "gcn_target.c")]
    # What is stored and sent keeps the word by which files of before call the family; the table of e_flags is LLVM's.
    assert sorted(wrong) == sorted(WORDS), "\n".join(wrong)


WORDS = ['src/emulator/gcn/device.c: "gfx900"', 'src/runtime/kfd/core_file.c: "gfx900"']
