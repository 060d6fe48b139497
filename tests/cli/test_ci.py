"""contrib/ci: run.sh on programs of which the outcome is known, the templates by the tools of the forges' users, the image."""
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

import jsonschema
import pytest
import yaml

from conftest import ROOT, WAVETRAP

CI = ROOT / "contrib" / "ci"
RUN = CI / "run.sh"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Stores to the address that its argument names, by the CUDA driver API; 0 stands for memory of its own."""
    folder = tmp_path_factory.mktemp("ci")
    source = folder / "program.c"
    source.write_text(r'''
#include <cuda.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry set(.param .u64 out)\n"
        "{ .reg .b64 %d<2>; .reg .b32 %r<2>; ld.param.u64 %d1, [out]; mov.u32 %r1, 42; st.global.u32 [%d1], %r1; ret; }\n";
    CUcontext context;
    CUdevice device;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory = strtoull(argv[1], 0, 0);
    void *arguments[] = {&memory};
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) || cuModuleLoadData(&module, ptx) ||
        cuModuleGetFunction(&function, module, "set") || (!memory && cuMemAlloc(&memory, 4)))
        return 9;
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0);
    cuCtxSynchronize();
    return 0;
}
''')
    cuda = subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["cc", "-w", "-g", f"-I{cuda}/include", source, f"-L{cuda}/lib64", "-lcuda", "-o", folder / "program"], check=True)
    return folder / "program"


def run(*words, cwd, **environment):
    return subprocess.run([RUN, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False, timeout=300,
                          env={**os.environ, "WAVETRAP": WAVETRAP, **environment})


def objects(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_program_that_is_right_passes(program, tmp_path):
    done = run("-g", "sm", "-c", "memory", program, "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = tmp_path / "wavetrap-report"
    assert sorted(f.name for f in report.iterdir()) == ["findings.sarif", "findings.xml", "gpu.json"]
    assert next(o["launches"] for o in objects(report / "gpu.json") if o["kind"] == "kernels") == 1
    assert json.loads((report / "findings.sarif").read_text())["runs"][0]["results"] == []


def test_a_fault_that_the_program_ignores_fails_the_job(program, tmp_path):
    """There is a core file, which the debugger opens; the forge's annotation has the mistake's words."""
    done = run("-g", "sm", "-o", "kept", program, "16", cwd=tmp_path, GITHUB_ACTIONS="true")
    assert done.returncode == 115
    assert "::error::" in done.stdout and "0x10" in done.stdout
    core, = (tmp_path / "kept").glob("*.core")
    said = subprocess.run([WAVETRAP, "debug", "--core", core, "--batch", "-nx", "-ex", "x/i $pc", "-ex", "reverse-stepi"], capture_output=True, text=True, check=True).stdout
    assert "st.global" in said


def test_findings_are_for_the_forge(program, tmp_path):
    done = run("-g", "sm", "-c", "leak", program, "0", cwd=tmp_path, GITHUB_ACTIONS="true")
    assert done.returncode == 115 and f"::error file={os.path.relpath(program.parent, tmp_path)}/program.c,line=" in done.stdout
    assert {r["ruleId"] for r in json.loads((tmp_path / "wavetrap-report" / "findings.sarif").read_text())["runs"][0]["results"]} == {"leak"}
    assert xml.etree.ElementTree.parse(tmp_path / "wavetrap-report" / "findings.xml").find(".//failure") is not None


def test_kernels_that_never_ran_and_wrong_calls(tmp_path):
    assert run("-g", "sm", "true", cwd=tmp_path).returncode == 122
    assert run("-g", "sm", "-n", "0", "true", cwd=tmp_path).returncode == 0
    assert run("-g", "sm", "-n", "0", "-x", "--log-calls", "-x", "--no-such", "true", cwd=tmp_path).returncode == 125
    assert run("-g", "sm", "-n", "0", "sh", "-c", "exit 7", cwd=tmp_path).returncode == 7
    for words in ((), ("-g", "sm"), ("-q", "true")):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 2 and "run.sh [-g GPU]" in done.stderr
    assert run("-g", "sm", "-n", "0", "-t", "1", "sleep", "100", cwd=tmp_path).returncode == 124


def test_the_session_of_the_page(tmp_path):
    page = (ROOT / "docs" / "ci.md").read_text()
    folder = tmp_path / "checks"
    folder.mkdir()
    shutil.copy(ROOT / "examples" / "checks" / "leak.c", folder)
    shutil.copytree(ROOT / "examples" / "opencl", tmp_path / "opencl")
    parts = re.split(r"^\$ (.*)\n", re.search(r"^```console\n(.*?)^```$", page, re.M | re.S)[1], flags=re.M)
    assert len(parts) == 7
    environment = {**os.environ, "PATH": f"{CI}:{os.environ['PATH']}", "WAVETRAP": WAVETRAP}
    for command, wanted in zip(parts[1::2], parts[2::2]):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=100)
        assert done.stdout.replace(str(folder.resolve()), "FOLDER") == wanted, done.stderr


@pytest.mark.full
def test_the_templates_are_what_the_forges_take(tmp_path):
    """By the registry's validators: the schema of GitHub's actions, and of GitLab's files."""
    subprocess.run(["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", tmp_path,
                    "@action-validator/core@0.6.0", "@action-validator/cli@0.6.0", "gitlab-ci-local@4.56.0"], check=True)
    bin_ = tmp_path / "node_modules" / ".bin"
    broken = tmp_path / "broken" / "action.yml"
    broken.parent.mkdir()
    broken.write_text((CI / "github" / "action.yml").read_text().replace("using: composite", "using: nothing"))
    assert subprocess.run([bin_ / "action-validator", CI / "github" / "action.yml"], check=False).returncode == 0
    assert subprocess.run([bin_ / "action-validator", broken], check=False, capture_output=True).returncode != 0
    schema = json.loads(subprocess.run(["node", "--input-type=module", "-e", "import {schema} from 'gitlab-ci-local/src/schema/schema.js';"
                                        "console.log(JSON.stringify(schema))"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    job = yaml.safe_load((CI / "gitlab.yml").read_text())[".wavetrap"]
    jsonschema.validate({"tests": job}, schema)   # it does not look at names that begin with a dot
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"tests": {**job, "script": 5}}, schema)
