"""Help texts, manual pages and completion tell of the same options."""
import os
import re
import shutil
import subprocess

import pexpect
import pytest

import check_pages
from conftest import ROOT, WAVETRAP, run

COMMANDS = re.findall(r"^  ([\w-]+) +\S", run("--help").stdout.split("Commands:")[1].split("Options:")[0],
                      re.M)
# A command of a command has help and a page of its own, too.
PAGES = [*COMMANDS, "dm check"]
MAN = ROOT / "docs" / "man"


def sections(command):
    """The long options in each part of a help text, by the part's heading."""
    parts = re.split(r"^(Options|The device and its memory|The debugger):$", run(*command.split(), "--help").stdout,
                     flags=re.M)
    return {heading: set(re.findall(r"^  (?:-\w,|   ) --([a-z-]+)", text, re.M))
            for heading, text in zip(parts[1::2], parts[2::2])}


def manual_options(page, section=None):
    """The long options of the list items of an mdoc page (or of one of its subsections)."""
    text = (MAN / page).read_text()
    if section:
        text = re.search(rf"^\.Ss {section}$(.*?)^\.(?:Ss|Sh) ", text, re.M | re.S).group(1)
    else:
        text = re.sub(r"^\.Ss (Device|Debugger) options$.*?(?=^\.(?:Ss|Sh) )", "", text, flags=re.M | re.S)
    items = "\n".join(line for line in text.splitlines() if line.startswith(".It "))
    return set(re.findall(r"Fl -([a-z-]+)", items))


def test_all_commands_are_there():
    assert set(COMMANDS) == {"run", "debug", "dap", "view", "mcp", "gdb", "serve", "attach", "trace", "info", "dm", "reg", "exec", "explain-address", "explain-trap",
                             "asm", "gtt", "gem", "ps", "slice",
                             "cuda-path", "hip-path", "doctor", "explore", "diff", "examples"}


@pytest.mark.parametrize("command", PAGES)
def test_help_and_manual_have_the_same_options(command):
    parts = sections(command)
    assert "help" in parts["Options"]
    assert parts["Options"] == manual_options(f"wavetrap-{command.replace(' ', '-')}.1")
    if "The device and its memory" in parts:
        assert parts["The device and its memory"] == manual_options("wavetrap.1", "Device options")
        assert "device options" in (MAN / f"wavetrap-{command.replace(' ', '-')}.1").read_text()
    if "The debugger" in parts:
        assert parts["The debugger"] == manual_options("wavetrap.1", "Debugger options")


def test_help_and_pages_have_the_checks_of_the_table():
    """The command is made from the table by the compiler, the pages are by `make check-pages`."""
    help_text = run("run", "--help").stdout.split("--check=LIST")[1].split("--check-limit")[0]
    assert re.findall(r"^ +([a-z]+): ", help_text, re.M) == check_pages.NAMES and len(check_pages.NAMES) > 8
    said = run("run", "--check=none", "x").stderr
    assert f"they are {', '.join(check_pages.NAMES)} and all" in said
    files = list(check_pages.files())
    assert len(files) > 7 and not [name for name, old, new in files if old != new]


@pytest.mark.parametrize("command", PAGES)
def test_every_option_of_the_help_is_accepted(command):
    """An option that exists is not called unknown, whatever else may be wrong with the call."""
    for names in sections(command).values():
        for name in names - {"help"}:
            said = run(*command.split(), f"--{name}", stdin=subprocess.DEVNULL).stderr
            assert "there is no option" not in said, name


@pytest.mark.parametrize("command", [[], *(c.split() for c in PAGES)])
def test_help_goes_to_stdout_and_fits_the_screen(command):
    for flag in ("--help", "-h"):
        done = run(*command, flag)
        assert done.returncode == 0
        assert done.stdout.startswith("Usage: wavetrap")
        assert done.stderr == ""
        assert max(map(len, done.stdout.splitlines())) <= 100


def test_version():
    done = run("--version")
    assert re.fullmatch(r"wavetrap \d+\.\d+\.\d+\n", done.stdout) and done.returncode == 0


def test_gpu_keys_are_in_the_manual():
    keys = set(re.findall(r"^  ([a-z-]+) ", run("run", "--gpu=help").stdout, re.M))
    text = (MAN / "wavetrap.1").read_text().split(".Ss Keys of --gpu")[1].split(".El")[0]
    assert keys and keys == set(re.findall(r"Cm ([a-z-]+)", "\n".join(re.findall(r"^\.It .*", text, re.M))))


def test_exit_statuses_of_help_and_manual_agree():
    told = set(re.findall(r"^  (1\d\d)  ", run("run", "--help").stdout, re.M))
    text = (MAN / "wavetrap-run.1").read_text().split(".Sh EXIT STATUS")[1]
    assert told == set(re.findall(r"^\.It (1\d\d)", text, re.M))


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
@pytest.mark.parametrize("page", sorted(p.name for p in MAN.glob("*.1")))
def test_manual_pages_are_sound(page):
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", MAN / page], capture_output=True,
                          text=True)
    assert done.stdout == ""


def complete_bash(*words):
    """What bash offers for the last of `words`: what replaces the part after its last '=' or ':'."""
    line = " ".join(words)
    script = f"""
        wavetrap() {{ {WAVETRAP} "$@"; }}
        . {ROOT}/scripts/completion/wavetrap.bash
        COMP_LINE='{line}' COMP_POINT={len(line)}
        _wavetrap
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_bash_completes_commands_options_and_values():
    assert set(complete_bash("wavetrap", "")) == set(COMMANDS) | {"help", "--help", "--version"}
    assert complete_bash("wavetrap", "tr") == ["trace"]
    assert complete_bash("wavetrap", "help", "tr") == ["trace"]
    assert complete_bash("wavetrap", "run", "--sch") == ["--schedule="]
    assert complete_bash("wavetrap", "run", "--schedule=l") == ["lockstep"]
    assert complete_bash("wavetrap", "run", "--schedule", "l") == ["lockstep"]
    assert set(complete_bash("wavetrap", "trace", "--")) == {
        name for names in sections("trace").values() for name in
        (f"--{n}{'=' if takes_value('trace', n) else ''}" for n in names)}
    assert "--only=" in complete_bash("wavetrap", "dm", "check", "--")
    assert "--script=" not in complete_bash("wavetrap", "dm", "check", "--")
    assert "check" in complete_bash("wavetrap", "dm", "")
    assert {"gcn", "sm_80", "gen9", "vortex"} <= set(complete_bash("wavetrap", "exec", "-g", ""))
    assert complete_bash("wavetrap", "exec", "--gpu=gfx9") == re.findall(r"^  (gfx9\w+)", run("info", "--models").stdout, re.M)
    assert "cu=" in complete_bash("wavetrap", "exec", "-g", "gfx900:")
    assert complete_bash("wavetrap", "exec", "--check=race,le") == ["race,leak"]
    assert not {"all", "race"} & set(complete_bash("wavetrap", "exec", "--check=race,all,"))
    assert run("complete", "run", "--no-such=").stdout == run("complete", "run", "--no-such=a").stdout == ""
    assert complete_bash("wavetrap", "run", "--no-such=", "") == complete_bash("wavetrap", "run", "a-file") == []


def values(command):
    """(option, word) for each value that is offered for an option of a command."""
    for option in complete_bash("wavetrap", command, "--"):
        for word in complete_bash("wavetrap", command, option) if option.endswith("=") else []:
            yield option, word


@pytest.mark.parametrize("command", ["exec", pytest.param("run", marks=pytest.mark.full)])
def test_values_that_are_offered_are_taken(command, tmp_path):
    offered = list(values(command))
    assert {option for option, _ in offered} >= {"--gpu=", "--check=", "--check-init=", "--report=", "--schedule=", "--fill="}
    for option, word in offered:
        end = "1" if word == "random:" or word == "rr:" else f"{tmp_path}/f" if word.endswith(":") else ""
        (tmp_path / "f").write_text("wavetrap choices 1\n")
        assert f"{option[:-1]}:" not in run(command, option + word + end).stderr, (option, word)


def takes_value(command, name):
    return re.search(rf"--{name}=", run(command, "--help").stdout) is not None


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_commands_and_options(tmp_path):
    (tmp_path / "wavetrap").symlink_to(WAVETRAP)

    def complete(line):
        script = f"source {ROOT}/scripts/completion/wavetrap.fish; complete -C '{line}'"
        done = subprocess.run(["fish", "-c", script], capture_output=True, text=True, check=True,
                              env=dict(os.environ, HOME=str(tmp_path),
                                       PATH=f"{tmp_path}:{os.environ['PATH']}"))
        return {word.split("\t")[0] for word in done.stdout.splitlines()}

    assert set(COMMANDS) <= complete("wavetrap ")
    assert complete("wavetrap run --sch") == {"--schedule="}
    assert {"--core=", "--symbols", "--gpu="} <= complete("wavetrap trace --")
    assert {"--gpu=gen9", "--gpu=gcn"} <= complete("wavetrap exec --gpu=")
    assert "race" in complete("wavetrap exec --check ")


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes_commands_options_and_values(tmp_path):
    (tmp_path / "wavetrap").symlink_to(WAVETRAP)
    child = pexpect.spawn("zsh", ["-f", "-i"], encoding="utf-8", timeout=60, dimensions=(50, 160),
                          env=dict(os.environ, HOME=str(tmp_path), TERM="dumb", PS1="% ", PATH=f"{tmp_path}:{os.environ['PATH']}"))
    child.sendline(f"fpath=({ROOT}/scripts/completion $fpath); autoload -Uz compinit; compinit -u -D; unsetopt zle_bracketed_paste; echo re''ady")
    child.expect("ready\r\n")
    child.send("wavetrap exec --check=race,le\t")
    child.expect("race,leak")
    child.send("\x15wavetrap exec --ch\t\t")
    child.expect("--check-init=  -- report of uninitialised values")
    child.send("\x15wavetrap exec -g \t\t")     # the word that is completed is empty
    child.expect("gen9  -- Intel Gen9")
    child.close(force=True)


def test_what_cannot_be_printed_is_a_failure():
    for words in (["--help"], ["--version"], ["run", "--help"], ["run", "--gpu=help"], ["info", "--isa"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([WAVETRAP, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == 125 and "cannot write to stdout: No space left" in done.stderr, words


def test_the_first_page_says_where_the_command_is():
    assert "`wavetrap` on these pages is `build/wavetrap` in the build tree (`PATH=$PWD/build:$PATH`)" in (ROOT / "docs" / "README.md").read_text()


LIMITS = re.findall(r"^\| `(\w+):(\w+)` \| (\S+) \| (\S+) \|", (ROOT / "docs" / "limits.md").read_text(), re.M)


def one_more(value):
    return f"{int(value[0]) + 0.1:.1f}" if "." in value else f"{int(value[:-1]) + 1}{value[-1]}" if value[-1] == "G" else str(int(value) * 2)


@pytest.mark.parametrize("family, key, least, most", LIMITS)
def test_the_ranges_of_the_page_of_limits(family, key, least, most):
    """The largest value is taken; a larger one is refused by the range that the page has."""
    asked = [subprocess.run([WAVETRAP, "exec", "-g", f"{family}:{key}={value}", "true"], capture_output=True, text=True) for value in (most, one_more(most))]
    if absent := re.search(r"this wavetrap was built without (\S+)", asked[0].stderr):
        pytest.skip(f"left out: programs of {family} (built without {absent[1]})")
    assert asked[0].returncode == 0, asked[0].stderr
    assert (asked[1].returncode, asked[1].stderr) == (125, f"wavetrap exec: --gpu: {key}={one_more(most)}: must be {least} to {most}\n")


def test_the_page_of_limits_has_all_families():
    assert {family for family, *_ in LIMITS} == {"gfx900", "gfx942", "gen9", "sm", "vortex"} and len(LIMITS) == 10
