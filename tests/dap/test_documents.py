"""docs/editors.md and the extension for VS Code: their configurations are what the server takes."""
import json
import re
import subprocess

import pytest

from conftest import HEADER, line_of
from dap import ROOT, WAVETRAP, Client

PAGE = (ROOT / "docs" / "editors.md").read_text()
EXTENSION = ROOT / "editors" / "vscode"
CONFIGURATIONS = [c for c in map(json.loads, re.findall(r"^```json\n(.*?)^```$", PAGE, re.M | re.S)) if c.get("type") == "wavetrap"]
PACKAGE = json.loads((EXTENSION / "package.json").read_text())
DEBUGGER, = PACKAGE["contributes"]["debuggers"]


def configuration_of(name):
    return next(c for c in CONFIGURATIONS if c["name"] == name)


def in_folder(value, folder):
    """As VS Code sends it: variables replaced."""
    return json.loads(json.dumps(value).replace("${workspaceFolder}", str(folder)))


def test_the_page_has_each_kind():
    assert [c["name"] for c in CONFIGURATIONS] == ["mandelbrot", "vecadd", "host program", "attach", "core file"]


def test_the_vortex_program_of_the_page(client, tmp_path):
    subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={tmp_path}/build/examples", "OPT=-O0 -g",
                    f"{tmp_path}/build/examples/mandelbrot.rv32.elf"], check=True)
    client.start(**in_folder(configuration_of("mandelbrot"), tmp_path))
    assert client.top(client.stopped())["name"] == "main"


def test_the_kernel_of_the_page(client, kernels, tmp_path):
    (tmp_path / "work.co").symlink_to(kernels("gfx900").configuration["program"])
    client.start(prepare=lambda own: own.breakpoints(HEADER, line_of("store")), **in_folder(configuration_of("vecadd"), tmp_path))
    assert client.top(client.stopped())["line"] == line_of("store")


def test_kates_configuration_of_the_page(client, kernels):
    """Kate sends the request's object whole, with its own "command"."""
    dap, = [c["dap"] for c in map(json.loads, re.findall(r"^```json\n(.*?)^```$", PAGE, re.M | re.S)) if "dap" in c]
    assert dap["wavetrap"]["run"]["command"] == ["wavetrap", "dap"]
    request = dap["wavetrap"]["configurations"]["mandelbrot"]["request"]
    client.initialize()
    assert client.answer(client.send(request["command"], {**request, "program": kernels("vortex").configuration["program"]}, checked=False))["success"]
    client.ask("configurationDone")
    assert client.stopped()["reason"] == "entry"


def test_the_host_program_of_the_page(client, tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho $NAME $PWD $*\n")
    program.chmod(0o755)
    client.start(**in_folder(configuration_of("host program"), tmp_path))
    client.event("terminated")
    assert client.output("stdout") == f"value {tmp_path} 1 2\n"


def test_the_core_file_of_the_page(client, kernels, tmp_path):
    with Client() as first:
        first.start(prepare=lambda own: own.breakpoints(HEADER, line_of("store")), **kernels("sm").configuration)
        first.stopped()
        first.value(f"generate-core {tmp_path}/wavetrap.core", context="repl")
    client.start(**in_folder(configuration_of("core file"), tmp_path))
    assert client.top(client.stopped())["line"] == line_of("store")


def test_attributes_are_the_same_everywhere():
    """Those of the page's table are those of the extension, and the page's configurations use no others."""
    table = PAGE.split("| attribute | meaning |")[1].split("\n\n")[0]
    names = {name for row in table.splitlines()[1:] for name in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")}
    attributes = DEBUGGER["configurationAttributes"]
    known = {request: set(attributes[request]["properties"]) for request in ("launch", "attach")}
    assert names == known["launch"] | known["attach"]
    for c in [*CONFIGURATIONS, *(s["body"] for s in DEBUGGER["configurationSnippets"]), *DEBUGGER["initialConfigurations"]]:
        assert set(c) <= {"name", "type", "request"} | known[c["request"]], c
        assert c["type"] == DEBUGGER["type"]


@pytest.mark.parametrize("language", ["lua", "elisp"])
def test_other_editors_start_the_same_command(language):
    for block in re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S):
        assert re.search(r"'wavetrap', args = \{ 'dap' \}|\"wavetrap\" command-args \(\"dap\"\)|'\(\"wavetrap\" \"dap\"\)", block), block
    assert WAVETRAP
