#!/usr/bin/python3
"""Makes docs/pictures/*.svg: terminal sessions of the console as they are, drawn as text.

    pictures.py [--check]

recording.svg is a session that plays for 30 seconds, once, as it was typed.

Builds the example kernels, types each session's commands at a terminal, and draws what stands there then. --check
writes nothing, and fails where a picture is not what it would be now. WAVETRAP names the command (default:
build/wavetrap).
"""
import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pexpect

ROOT = pathlib.Path(__file__).resolve().parents[1]
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))
PICTURES = ROOT / "docs" / "pictures"
PROMPT = "(wavetrap) "
STYLES = {"\x1b[1m": "bold", "\x1b[2m": "faint", "\x1b[32m": "file", "\x1b[33m": "function", "\x1b[34m": "address", "\x1b[36m": "name"}
COLUMNS, CHARACTER, LINE, EDGE = 92, 8.4, 18, 14

SESSIONS = {
    "lanes": ["mandelbrot.rv32.elf", "break draw if sum(pixel@*) == 38", "run", "print pixel@*", "print max(pixel@*)", "info lanes pixel % 2",
              "backtrace"],
    "divergence": ["mandelbrot.rv32.elf", "tbreak 46 if pixel > 200", "run", "info divergence", "info lanes", "print point.count@*", "info warps"],
    "backwards": ["mandelbrot.rv32.elf", "break 45 if point.count > 20", "run", "print point.count", "watch -l point.count", "reverse-continue", "info time",
                  "who-wrote picture[0][0]"],
}


# The recording: commands of a shell, the last of which is a debugger's, with the commands that are typed there.
PLAYED = ["wavetrap run -g vortex:warps=4,threads=4 blur.rv32.elf", "wavetrap debug -g vortex:warps=4,threads=4 blur.rv32.elf"]
TYPED = ["break blur.c:34", "run", "print out[i]", "where-from --steps=4 out[i]", "who-wrote tile[16]", "goto 741", "wave 3", "print tile[t]"]
SECONDS, ROWS = 30, 30


def record(folder, program, commands):
    """The session's lines as they stand at the terminal."""
    return [f"$ wavetrap debug {program}", *session(folder, [program], commands)]


def session(folder, words, commands):
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    child = pexpect.spawn(WAVETRAP, ["debug", "--nx", "-ex", "set status-line off", *words], cwd=folder, encoding="utf-8", echo=False,
                          timeout=100, dimensions=(60, 200), env={**env, "TERM": "xterm", "LC_ALL": "C.UTF-8"})
    child.delaybeforesend = None
    child.expect_exact(PROMPT)
    lines = []
    for command in commands:
        child.sendline(command)
        child.expect_exact(PROMPT)
        # A slow machine shows progress.
        said = re.sub(r"\r[^\r\n]*\(Ctrl-C stops\)\x1b\[K|\r\x1b\[K", "", child.before)
        # What was typed is shown by the line editor, and by the terminal if it comes early.
        said = re.sub(r"\x1b\[[^m]*?[A-Za-ln-z]", "", said.replace("\r", "")).rstrip("\n").split("\n")
        while said and said[0].strip() == command:
            del said[0]
        lines += [PROMPT + command, *said]
    child.sendline("quit")
    child.expect(["y or n", pexpect.EOF])
    if child.isalive():
        child.sendline("y")
        child.expect(pexpect.EOF)
    child.close()
    return lines + [PROMPT]


def draw_line(line):
    """One line with its styles (escape sequences of the terminal), the prompt and commands apart."""
    out, style, room = [], "said", COLUMNS + 20
    for part in re.split(r"(\x1b\[\d*m)", line):
        if part.startswith("\x1b"):
            style = STYLES.get(part, "said")
        elif part[:room]:
            out.append(f'<tspan class="{style}">{html.escape(part[:room])}</tspan>')
            room = max(room - len(part), 0)
    typed = next((p for p in (PROMPT, "$ ") if line.startswith(p)), None)
    if typed:
        return f'<tspan class="prompt">{html.escape(typed)}</tspan><tspan class="typed">{html.escape(line[len(typed):])}</tspan>'
    return "".join(out)


def draw(lines, title):
    width, height = COLUMNS * CHARACTER + 2 * EDGE, len(lines) * LINE + 2 * EDGE
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
            f"<title>{html.escape(title)}</title>",
            "<style>text { font: 14px monospace; white-space: pre; } .said { fill: #d8d8d8; } .faint { fill: #808080; } "
            ".bold { fill: #ffffff; font-weight: bold; } .file { fill: #7fb069; } "
            ".function { fill: #e0c060; } .address { fill: #70a0e0; } .name { fill: #60c0c0; } .prompt { fill: #7fb069; } "
            ".typed { fill: #ffffff; font-weight: bold; }</style>", '<rect width="100%" height="100%" rx="6" fill="#1e1e1e"/>']
    text += [f'<text x="{EDGE}" y="{EDGE + LINE * i + 13}" xml:space="preserve">{draw_line(line)}</text>' for i, line in enumerate(lines)]
    return "\n".join([*text, "</svg>", ""])


def played(folder):
    """The lines of the recording."""
    first = subprocess.run([WAVETRAP, *PLAYED[0].split()[1:]], cwd=folder, capture_output=True, text=True)
    lines = ["$ " + PLAYED[0], *(first.stdout + first.stderr).splitlines(), "$ " + PLAYED[1]]
    return lines + session(folder, PLAYED[1].split()[2:], TYPED)


def times_of(lines):
    """(line, when it is there, seconds between its letters): what is typed takes time, and what is printed time to read it. All take SECONDS."""
    now, found = 0, []
    for i, line in enumerate(lines):
        typed = line.startswith(("$ ", PROMPT)) and line != PROMPT
        found.append((line, now, .05 if typed else 0))
        now += .05 * len(line) + .5 if typed else .25 if line.strip() else .1
        if not typed and i + 1 < len(lines) and lines[i + 1].startswith(("$ ", PROMPT)):
            now += 1.2
    scale = (SECONDS - 1) / now
    return [(line, at * scale, each * scale) for line, at, each in found]


def set_at(name, value, at):
    return f'<set attributeName="{name}" to="{value}" begin="{at:.2f}s" fill="freeze"/>'


def play(lines, title):
    """The lines as a picture in which they come as in a terminal of ROWS lines."""
    width, height = COLUMNS * CHARACTER + 2 * EDGE, ROWS * LINE + 2 * EDGE
    still = draw([], title).split("\n")
    text = [re.sub(r'height="\d+" viewBox="0 0 \d+ \d+"', f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"', still[0]), *still[1:-2], "<g>"]
    for i, (line, at, each) in enumerate(times_of(lines)):
        if i >= ROWS:
            up = LINE * (i - ROWS + 1)
            text.append(f'<animateTransform attributeName="transform" type="translate" from="0 {LINE - up}" to="0 {-up}" begin="{at:.2f}s" dur="0.1s" fill="freeze"/>')
        prompt = next((p for p in (PROMPT, "$ ") if each and line.startswith(p)), "")
        letters = "".join(f'<tspan class="typed" visibility="hidden">{html.escape(letter)}{set_at("visibility", "visible", at + .4 + each * k)}</tspan>'
                          for k, letter in enumerate(line[len(prompt):])) if each else ""
        body = f'<tspan class="prompt">{html.escape(prompt)}</tspan>{letters}' if each else draw_line(line)
        text.append(f'<text x="{EDGE}" y="{EDGE + LINE * i + 13}" xml:space="preserve" visibility="hidden">{body}{set_at("visibility", "visible", at)}</text>')
    return "\n".join([*text, "</g>", "</svg>", ""])


def main():
    check = sys.argv[1:] == ["--check"]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={folder}", "OPT=-O0 -g", f"{folder}/mandelbrot.rv32.elf"], check=True)
        subprocess.run(["make", "-s", "-C", ROOT / "examples" / "vortex", f"OUT={folder}", f"{folder}/broken/blur.rv32.elf"], check=True)
        os.rename(f"{folder}/broken/blur.rv32.elf", f"{folder}/blur.rv32.elf")
        made = {name: draw(record(folder, program, commands), f"wavetrap debug: {name}") for name, (program, *commands) in SESSIONS.items()}
        made["recording"] = play(played(folder), "wavetrap debug: who stored the wrong value")
        for name, picture in made.items():
            path = PICTURES / f"{name}.svg"
            if not check:
                PICTURES.mkdir(exist_ok=True)
                path.write_text(picture)
            elif not path.exists() or path.read_text() != picture:
                wrong.append(f"{path.relative_to(ROOT)} is not what a session shows now: scripts/pictures.py makes it anew")
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
