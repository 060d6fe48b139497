"""Init files: the user's own, and that of the working folder, which is read once it is trusted."""
import os

import pytest

from conftest import WAVETRAP, TIMEOUT, subprocess


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "work" / ".wavetrap").mkdir(parents=True)
    (tmp_path / "work" / ".wavetrap" / "debugrc").write_text("echo of the project\\n\n")
    return tmp_path / "work"


def write_user_file(folder):
    (folder / "wavetrap").mkdir(parents=True)
    (folder / "wavetrap" / "debugrc").write_text("echo of the user\\n\nset listsize 3\n")


def start(file, home, folder, *options, **more):
    env = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CONFIG_HOME")}
    words = [WAVETRAP, "debug", "--batch", *options, *(["-ex", "show listsize", str(file)] if file else [])]
    return subprocess.run(words, env={**env, "HOME": str(home), **more}, cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT)


def test_the_users_file_is_read_before_commands(program, home, tmp_path):
    write_user_file(home / ".config")
    done = start(program("values"), home, tmp_path)
    assert done.returncode == 0 and done.stdout == "of the user\nNumber of source lines that list shows is 3.\n", done.stderr
    assert start(program("values"), home, tmp_path, "--nx").stdout == "Number of source lines that list shows is 10.\n"


def test_the_folder_of_configuration_is_named(program, home, tmp_path):
    write_user_file(tmp_path / "config")
    assert "of the user\n" not in start(program("values"), home, tmp_path).stdout
    assert "of the user\n" in start(program("values"), home, tmp_path, XDG_CONFIG_HOME=str(tmp_path / "config")).stdout


def test_a_mistake_in_it_names_its_line(program, home, tmp_path):
    (home / ".config" / "wavetrap").mkdir(parents=True)
    (home / ".config" / "wavetrap" / "debugrc").write_text("echo a\\n\nnonsense\n")
    done = start(program("values"), home, tmp_path)
    assert done.returncode == 0 and f'{home}/.config/wavetrap/debugrc:2: Undefined command: "nonsense".' in done.stderr


def test_a_projects_file_is_read_once_it_is_trusted(program, home, project):
    file = program("values")
    done = start(file, home, project)
    assert "of the project" not in done.stdout
    assert done.stderr == (f"wavetrap: {project}/.wavetrap/debugrc is not read, since it is not trusted: "
                           "'wavetrap debug --trust' there reads it now and later\n")
    done = start(None, home, project, "--trust")
    assert (done.returncode, done.stderr) == (0, f"wavetrap: {project}/.wavetrap/debugrc is trusted from now on\n")
    done = start(file, home, project)
    assert (done.stdout.startswith("of the project\n"), done.stderr) == (True, "")
    # Trusting it twice lists it once, and --nx holds for it, too.
    assert "of the project" in start(file, home, project, "--trust").stdout
    assert (home / ".config" / "wavetrap" / "trusted").read_text() == f"{project}/.wavetrap/debugrc\n"
    assert start(file, home, project, "--nx").stdout == "Number of source lines that list shows is 10.\n"


def test_trust_holds_for_one_folder(program, home, project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    os.rename(project / ".wavetrap", other / ".wavetrap")
    (project / ".wavetrap").mkdir()
    (project / ".wavetrap" / "debugrc").write_text("echo mine\\n\n")
    start(None, home, project, "--trust")
    assert "is not trusted" in start(program("values"), home, other).stderr


def test_a_file_that_others_can_write_is_not_read(program, home, project):
    start(None, home, project, "--trust")
    rc = project / ".wavetrap" / "debugrc"
    rc.chmod(0o664)
    done = start(program("values"), home, project)
    assert "others may write to it" in done.stderr and "of the project" not in done.stdout
    assert start(None, home, project, "--trust").returncode != 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a file of another user")
def test_a_file_of_another_user_is_not_read(program, home, project):
    start(None, home, project, "--trust")
    os.chown(project / ".wavetrap" / "debugrc", 12345, -1)
    done = start(program("values"), home, project)
    assert "it belongs to another user (12345)" in done.stderr and "of the project" not in done.stdout


@pytest.mark.parametrize("mode,why", [(0o666, "others may write to it"), (0o664, "others may write to it")])
def test_the_users_file_is_not_read_where_others_can_write_it(program, home, tmp_path, mode, why):
    write_user_file(home / ".config")
    (home / ".config" / "wavetrap" / "debugrc").chmod(mode)
    done = start(program("values"), home, tmp_path)
    assert f"{home}/.config/wavetrap/debugrc is not read: {why}" in done.stderr
    assert (done.returncode, done.stdout) == (0, "Number of source lines that list shows is 10.\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a file of another user")
@pytest.mark.parametrize("what,why", [("debugrc", "it belongs to another user (12345)"),
                                      (".", "its folder {} belongs to another user (12345)"),
                                      ("..", "its folder {} belongs to another user (12345)")])
def test_the_users_file_is_not_read_where_another_user_owns_it(program, home, tmp_path, what, why):
    write_user_file(home / ".config")
    given_away = os.path.normpath(home / ".config" / "wavetrap" / what)
    os.chown(given_away, 12345, -1)
    done = start(program("values"), home, tmp_path)
    assert f"debugrc is not read: {why.format(given_away)}" in done.stderr and "of the user" not in done.stdout


def test_a_file_in_a_folder_that_others_can_write_is_not_read(program, home, project):
    start(None, home, project, "--trust")
    (project / ".wavetrap").chmod(0o777)
    done = start(program("values"), home, project)
    assert "others may write to its folder" in done.stderr and "of the project" not in done.stdout


def test_a_list_of_trusted_files_that_others_can_write_is_not_used(program, home, project):
    start(None, home, project, "--trust")
    (home / ".config" / "wavetrap" / "trusted").chmod(0o666)
    done = start(program("values"), home, project)
    assert "trusted is not read: others may write to it" in done.stderr and "of the project" not in done.stdout


def test_there_is_nothing_to_trust(home, tmp_path):
    done = start(None, home, tmp_path, "--trust")
    assert done.returncode != 0 and ".wavetrap/debugrc: No such file" in done.stderr
