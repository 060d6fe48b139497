"""Words that people type in GDB, cuda-gdb and rocgdb: each does what GDB does, or one sentence says what to use."""
import re
import subprocess

import pytest

from conftest import MARK, WAVETRAP, TIMEOUT, answers, ask_console, ask_gdb, debug, marked

AT_WORK = ["tbreak deep", "run"]


@pytest.fixture(scope="module")
def sheet(program, tmp_path_factory):
    return program("values"), tmp_path_factory.mktemp("words")


def script(folder, text, name="script"):
    path = folder / name
    path.write_text(text)
    return path


# ---- scripts: GDB on the same program is the oracle ----

SCRIPT = """\
define twice
  print $arg0 + $argc
  if $argc > 1
    output $arg1
    echo \\n
  else
    echo one\\n
  end
end
document twice
Prints the first argument.
end
set $i = 0
while $i < 6
  set $i = $i + 1
  if $i == 2
    loop_continue
  end
  if $i == 5
    loop_break
  end
  printf "%d\\n", $i
end
twice 3
twice (1+2) global
help twice
alias pp = print
pp 4
with print pretty on -- print second
print second
if 0
  echo wrong\\n
else
  if 1
    echo right\\n
  end
end
"""


def test_scripts_do_what_gdbs_do(sheet):
    file, folder = sheet
    path = script(folder, SCRIPT)
    ours, gdbs = (ask(file, ["break deep", "run"], [f"source {path}"])[0] for ask in (ask_console, ask_gdb))
    assert ours == gdbs and "right" in ours and "wrong" not in ours


def test_a_script_without_an_end_says_so(sheet):
    file, folder = sheet
    done = debug(file, f"source {script(folder, 'while 1', 'open')}")
    assert done.returncode == 1 and "while has no 'end'" in done.stderr


def test_a_loop_without_an_end_is_interrupted(sheet):
    file, folder = sheet
    with subprocess.Popen([WAVETRAP, "debug", "--nx", "-x", script(folder, "echo begun\\n\nwhile 1\nset $x = 1\nend\n", "endless"), file],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(2)
        assert "Interrupted." in process.communicate(timeout=TIMEOUT)[1]


@pytest.mark.parametrize("command", [
    "print -pretty -- pixels", "print -pretty on -- pixels", "print -elements 3 -- table", "print -repeats 2 -- table",
    "print -pretty -elements 2 -- pixels", "print -- -3", "output 5", "info line deep", "info line 75",
    "frame apply 1 print global", "frame apply all -s print global", "faas print global",
    "find &table, +sizeof(table), (int)table[1][1]", "find /b &table, +8, 2", "find /1 &pixels, +sizeof(pixels), 1",
    "info breakpoints", "shell echo here", "!echo here", "pipe print global | tr 0-9 a-j", "| print global | cat",
    "show print pretty", "show print repeats",
    "pwd",
])
def test_the_answer_is_gdbs(sheet, command):
    file, _ = sheet
    ours, gdbs = (ask(file, ["tbreak deep", "run"], [command])[0] for ask in (ask_console, ask_gdb))
    assert ours == gdbs


def test_convenience_variables(sheet):
    file, _ = sheet
    commands = ["x/2dw &table", "print $_ == (void *)((char *)&table + 4)", "print $__", "break deep", "print $bpnum"]
    assert [ask(file, AT_WORK, commands)[1:3] for ask in (ask_console,)] == [ask_gdb(file, AT_WORK, commands)[1:3]]
    assert ask_console(file, AT_WORK, commands)[4] == "$3 = 2"
    assert ask_console(file, [], ["run", "print $_exitcode"])[1] == "$1 = 0"
    assert re.search(r"\$bpnum = 1", ask_console(file, AT_WORK, ["show convenience"])[0])


def test_memory_goes_to_a_file_and_back(sheet):
    file, folder = sheet
    path = folder / "bytes"
    said = ask_console(file, AT_WORK, [f"dump memory {path} &table &table[0][2]", "print table[0][0]", "set var table[0][0] = -1",
                                       f"restore {path} binary &table", "print table[0][0]", f"dump value {folder}/one table[1][1]", "print table[1][1]"])
    assert path.stat().st_size == 8 and said[1].split(" = ")[1] == said[4].split(" = ")[1]
    assert said[3].startswith("Restored 8 bytes of ")
    assert int.from_bytes((folder / "one").read_bytes(), "little", signed=True) == int(said[6].split(" = ")[1])


def test_breakpoints_by_other_words(sheet):
    file, _ = sheet
    said = ask_console(file, [], ["hbreak deep", "thbreak main", "rbreak ^dee", "enable once 1", "enable count 2 3", "info b 1", "info b 3"])
    assert said[0].startswith("Breakpoint 1 at ") and said[1].startswith("Temporary breakpoint 2 at ")
    assert re.search(r"Breakpoint 3 at .*\ndeep", said[2]) and "dis  y" in said[5] and "\n3 " not in said[5] and "dis  y" in said[6]
    said = ask_console(file, ["break deep", "break main", "break twice"], ["enable count 2 1-3", "info breakpoints"])[1]
    assert len(re.findall(r"dis  y", said)) == 3
    assert "not deleted" in ask_console(file, [*AT_WORK, "watch global"], ["enable delete 2"])[0]
    said = ask_console(file, ["break deep", "enable once 1", "run"], ["info b 1"])[0]
    assert re.search(r"dis|keep n", said) and " n " in said


def test_jump_goes_on_elsewhere(sheet):
    file, _ = sheet
    line = ask_console(file, AT_WORK, ["info line deep"])[0]
    assert "Continuing at 0x" in ask_console(file, ["tbreak main", "run", "tbreak deep"], ["jump deep"])[0], line


def test_source_is_searched(sheet):
    file, _ = sheet
    said = ask_console(file, ["list 1,5"], ["search struct", "search struct", "reverse-search struct", "print $_"])
    assert said == ["7\tstruct inner {", "11\tstruct pixel {", "7\tstruct inner {", "$1 = 7"]
    assert "Expression not found" in debug(file, "list 1,5", "search nothing of this").stderr


def test_apropos_and_help(sheet):
    file, _ = sheet
    said = ask_console(file, [], ["apropos recorded", "help all", "complete info wat", "complete inf"])
    assert "goto -- " in said[0] and "  info threads" in said[1] and said[2] == "info watchpoints" and said[3] == "info"


def test_words_that_were_made_are_listed_and_the_folder_changes(sheet):
    file, folder = sheet
    made = script(folder, "define frobnicate\n  echo here\\n\nend\n", "made")
    commands = [f"source {made}", "help user-defined", "frobnicate", f"cd {folder}", "pwd"]
    ours, gdbs = ask_console(file, [], commands), ask_gdb(file, [], commands)
    assert ours[1].strip() == "frobnicate" and "frobnicate" in gdbs[1] and ours[2] == gdbs[2] == "here"
    assert ours[4] == gdbs[4] and str(folder) in ours[4]


# ---- sentences ----

SENTENCES = {
    "python print(1)": "--report=json:FILE", "tui enable": "wavetrap view", "layout src": "wavetrap view", "record": "info time",
    "checkpoint": "goto TIME", "return": "finish", "handle SIGINT stop": "catch", "file x": "wavetrap debug PROGRAM",
    "target remote :1": "attach", "inferior 2": "info devices", "monitor reset": "help", "macro expand X": "macros are not read",
    "tstatus": "dprintf", "starti": "tbreak *ADDRESS", "autostep 4": "reverse-stepi", "compare-sections": "dump memory",
    "info signals": "catch", "info os": "host", "info vector": "info registers", "info inferiors": "info devices", "info checkpoints": "goto TIME",
    "set cuda break_on_launch all": "catch dispatch begin", "set max-value-size 9": "print elements", "set non-stop on": "scheduler-locking",
    "set step-mode on": "stepi", "set disassembly-flavor intel": "assembly", "set print object on": "declared",
    "print $_siginfo": "info fault", "print $_streq(1, 2)": "==", "print $_dispatch_pos": "info registers",
    "print $_thread_workgroup_pos": "info registers", "print $_gthread": "thread", "thread name x": "places", "maint info sections": "address-spaces",
}
TAKEN = ["set prompt x", "set trace-commands off", "set breakpoint pending on", "set scheduler-locking step", "set non-stop off", "set step-mode off",
         "set history save on", "set disassembly-flavor att", "set print pretty on", "set print union on", "set verbose off", "set width 0",
         "info files", "info agents", "show version", "show convenience", "maint print address-spaces", "set print frame-arguments scalars"]


def test_each_other_word_has_a_sentence(sheet):
    file, _ = sheet
    lines = "".join(f"echo {MARK}\\n\n{command}\n" for command in SENTENCES) + f"echo {MARK}\\n\n"
    done = subprocess.run([WAVETRAP, "debug", "--nx", file], input="tbreak deep\nrun\n" + lines, stderr=subprocess.STDOUT, stdout=subprocess.PIPE,
                          text=True, timeout=TIMEOUT)
    said = dict(zip(SENTENCES, answers(done.stdout)))
    assert len(said) == len(SENTENCES)
    assert not {command: text for command, text in said.items() if SENTENCES[command] not in text or "\n" in text or "syntax error" in text}


def words_of_gdb():
    """All names and aliases that GDB's `help all` has, of commands and of what stands behind them."""
    said = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-ex", "help all"], capture_output=True, text=True, check=True, timeout=TIMEOUT).stdout
    found = [name for line in said.splitlines() if " -- " in line and line[0] != " " for name in line.split(" -- ")[0].split(", ")]
    assert len(found) > 1500
    return dict.fromkeys(found)


UNDONE = {"set logging", "set trace-commands"}


def test_each_word_of_gdb_is_known(sheet):
    """It does what it says, or a sentence says what to use: settings are set and shown, of commands it is asked what they do."""
    file, folder = sheet
    commands = [f"{name} on" if name.startswith("set ") else name if name.startswith("show ") else f"help {name}" for name in words_of_gdb()
                if " ".join(name.split()[:2]) not in UNDONE and name not in ("set var", "set variable")]
    lines = "".join(f"echo {MARK}\\n\n{command}\n" for command in commands) + f"echo {MARK}\\n\n"
    said = subprocess.run([WAVETRAP, "debug", "--nx", file], input="tbreak deep\nrun\nprint 1\n" + lines, stderr=subprocess.STDOUT, stdout=subprocess.PIPE,
                          text=True, timeout=TIMEOUT, cwd=folder).stdout
    said = dict(zip(commands, answers(said)))
    assert len(said) == len(commands)
    assert not {command: text for command, text in said.items()
                if (re.search("syntax error|Undefined|No symbol", text) and command not in ("set print on", "set pr on", "set p on"))
                or (command.startswith("set ") and "\n" in text) or not (text or command.startswith("set ") or command == "show user")}


def test_settings_are_abbreviated(sheet):
    file, _ = sheet
    commands = ["set pag off", "show pagination", "set p pre on", "show print pretty", "set pr elem 3", "output table", "print -rep 2 -- table", "show confirm",
                "set confirm no", "show confirm", "show print elements", "set var $p = 1", "set $p = 2", "print $p"]
    ours, gdbs = (ask(file, ["tbreak deep", "run"], commands)[1:] for ask in (ask_console, ask_gdb))
    assert ours[1] == gdbs[1] == "" and [text for text in ours if "confirm" not in text] == [text for text in gdbs if "confirm" not in text]
    assert "is off" in ask_console(file, [], commands)[9]
    done = debug(file, "set p = 3")
    assert "No symbol" in done.stderr


def test_further_commands_of_scripts(sheet):
    file, folder = sheet
    made = script(folder, "define shown\n  echo here\\n\nend\n", "shown")
    commands = ["init-if-undefined $fresh = 5", "init-if-undefined $fresh = 6", "print $fresh", 'eval "print %d + 1", 4', "print global", "show values",
                "up-silently", "select-frame 0", "frame", f"source {made}", "show user shown", "complete show", "complete sho"]
    ours, gdbs = (ask(file, ["tbreak deep", "run"], commands) for ask in (ask_console, ask_gdb))
    assert ours[:11] == gdbs[:11]
    assert "shown" in ours[12].split("\n") and "shown" in gdbs[12].split("\n")
    assert ask_console(file, [], ["demangle _Z5scalePfi"]) == ["scale(float*, int)"]
    said = ask_console(file, AT_WORK, [f"dump value {folder}/two global", f"append value {folder}/two global",
                                       f"append memory {folder}/two &global &global+1", "output global"])
    assert (folder / "two").read_bytes() == int(said[3]).to_bytes(4, "little") * 3


def test_elements_are_named_to_who_means_them(sheet):
    """GDB's operator '@' selects lanes here; what is told instead has what GDB prints."""
    file, _ = sheet
    at_work = ["tbreak stop_here", "run", "up"]
    for there, here in {"table@16": "table[0..15]", "*into@9": "into[0..8]", "table[1]@7": "table[1][0..6]"}.items():
        assert debug(file, *at_work, f"print {there}").stderr.endswith(f"Elements: {here}\n")
    said = ask_console(file, at_work, ["print *pointer@2", "output pointer[0..1]", "output bytes@1", "output here@1"])
    assert "Elements: pointer[0..1])" in said[0] and "Elements" not in said[2] + said[3]
    assert said[1] == ask_gdb(file, ["tbreak stop_here", "continue", "up"], ["output *pointer@2"])[0]


def test_a_structure_takes_one_of_its_type(sheet):
    file, _ = sheet
    commands = ["set var pixels[1] = *pointer", "output pixels[1]", "set var $copy = pixel", "set var pixels[0] = $copy", "output pixels[0]",
                "set var table[0] = table[1]", "output table"]
    ours, gdbs = (ask(file, ["tbreak stop_here", go, "up"], commands) for ask, go in ((ask_console, "run"), (ask_gdb, "continue")))
    assert ours == gdbs
    for text, why in {"pixel = table": "type int [3][4] cannot be assigned to one of type struct pixel", "first = pixel": "struct pixel cannot be",
                      "table[0] = numbers": "", "pixel = 5": "4 bytes"}.items():
        done = debug(file, "tbreak stop_here", "run", "up", f"set var {text}")
        assert done.returncode == 1 and why in done.stderr, text


def test_displays_are_disabled(sheet):
    file, _ = sheet
    said = ask_console(file, ["tbreak deep", "run", "display global", "display hidden"], ["disable display 1", "info display", "display", "enable display", "display"])
    assert "1:   n  global" in said[1] and said[2].startswith("2: hidden") and said[4].startswith("1: global")


def test_settings_of_scripts_are_taken(sheet):
    file, _ = sheet
    done = debug(file, *AT_WORK, *TAKEN)
    assert done.returncode == 0, done.stderr


def test_scheduler_locking_lets_one_wave_run(example):
    file = example("hello", 32, "-O0 -g")
    shape = ["-g", "vortex:warps=4"]
    said = ask_console(file, ["break main", "run", "set scheduler-locking on"], ["info warps", "stepi 20", "info warps"], shape)
    assert said[0].splitlines()[1:] == said[2].splitlines()[1:]
