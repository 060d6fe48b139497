"""Bare Debian roots in which the README's commands and the pages' first blocks are tried, so that no package of this machine helps.

root() makes one by mmdebstrap with this machine's sources and keys, and installs there what scripts/need.sh lists for some steps. Its key is the release, the
day and that list. try_in() runs a command there on the files of the working tree, at this tree's path: the root is mounted read-only, the
tree and /tmp are in memory, and all mounts end with the command. ccache gives what this machine has compiled (the user's cache, by the compiler's content).
"""
import datetime
import fcntl
import hashlib
import os
import pathlib
import pwd
import re
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# One user's, whatever HOME the test has.
CACHE = pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir) / ".cache"
ROOTS = CACHE / "wavetrap" / "roots"
RELEASE = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M).group(1)
# What a machine has before the README's first command; and ccache, which the README does not ask for: it links nothing that wavetrap needs.
BARE = ["make", "git", "ca-certificates", "ccache"]


def why_not():
    """Why no root can be made here, or None."""
    if os.geteuid() != 0:
        return "a bare Debian root needs root's rights"
    if not shutil.which("mmdebstrap"):
        return "mmdebstrap is not installed"
    return None


def sources(release):
    """Words for mmdebstrap: this machine's sources; those of another release have its name in them."""
    places = [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*"))]
    files = [f for f in places if f.suffix in (".list", ".sources") and f.is_file() and re.search(rf"(?<![\w-]){RELEASE}[\s/]", f.read_text())]
    proxies = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    words = [f"--aptopt={line}" for line in proxies.splitlines() if re.match(r"Acquire::\w+::Proxy ", line)]
    return words, [(f.suffix, re.sub(rf"\b{RELEASE}\b", release, f.read_text())) for f in files]


def listed(release, steps):
    """The packages of steps of need.sh on a release."""
    text = (ROOT / "scripts" / "need.sh").read_text()
    script = re.sub(r"^release=.*$", f"release={release}", text, flags=re.M)
    return subprocess.run(["sh", "-s", "--", "--list", *steps], input=script, capture_output=True, text=True, check=True).stdout.split()


def root(steps, release=RELEASE, keep=True):
    """The folder of a root of a release with the packages of these steps. Not to be kept: it is deleted by remove()."""
    packages = [] if steps is None else listed(release, steps)
    key = hashlib.sha256(" ".join([*BARE, *packages]).encode()).hexdigest()[:12]
    day = datetime.date.today().isoformat()
    folder = ROOTS / f"{release}-{day}-{key}{'' if keep else f'.{os.getpid()}'}"
    ROOTS.mkdir(parents=True, exist_ok=True)
    with open(ROOTS / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder
        # Removes roots of other days and lists, and leftovers of killed runs: less than 8 GB are kept, of which Debian 13's root with all compilers has 5.
        for old in ROOTS.glob("*-*"):
            owner = re.search(r"[.-](\d+)(-\d+\.\w+)?$", old.name) if not re.search(r"-[0-9a-f]{12}$", old.name) else None
            if not os.path.exists(f"/proc/{owner[1]}") if owner else keep and old.name.startswith(release):
                remove(old)
        options, mirrors = sources(release)
        made = ROOTS / f"new-{os.getpid()}"
        files = []
        for number, (suffix, text) in enumerate(mirrors):
            files.append(ROOTS / f"sources-{os.getpid()}-{number}{suffix}")
            files[-1].write_text(text)
        try:
            # With mounts of its own, which end with it however it ends.
            done = subprocess.run(["unshare", "--mount", "mmdebstrap", "--mode=root", "--variant=minbase", "--dpkgopt=force-unsafe-io", *options, f"--include={','.join(BARE + packages)}",
                                   "--skip=cleanup/apt/lists", release, made, *files], capture_output=True, text=True, check=False)
            if done.returncode:
                remove(made)
                raise NoRoot(done.stdout[-2000:] + done.stderr[-3000:])
        finally:
            for file in files:
                file.unlink()
        made.rename(folder)
    return folder


class NoRoot(Exception):
    """mmdebstrap has failed; what it said."""


def remove(folder):
    subprocess.run(["rm", "-rf", "--one-file-system", folder], check=False)


IN_NAMESPACE = """
set -e
mount --bind {root} {root}
mount -o remount,bind,ro {root}
mount -t proc proc {root}/proc
mount --rbind /dev {root}/dev
mount -t tmpfs tmpfs {root}/tmp
mount -t tmpfs tmpfs {root}/root
mkdir -p {root}{tree}
mount -t tmpfs tmpfs {root}{tree}
mkdir -p {cache}
mount --bind {cache} {root}/ccache
{hide}
git -C {tree} ls-files -z --deduplicate | tar -C {tree} --null --ignore-failed-read -T - -c 2>/dev/null | tar -x -C {root}{tree} -f -
{edit}
exec chroot {userspec} {root} env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME={home} TERM=dumb {locale} CCACHE_DIR=/ccache CCACHE_STATSLOG=/tmp/ccache.log CCACHE_MAXSIZE=8G sh -c {command}
"""


def files_of(folder, package):
    """What hides a package of a root, as paths there: its files, and those that its links lead to. One that has documents alone stands for what it depends on."""
    lists = [info for info in folder.glob(f"var/lib/dpkg/info/{package}*.list") if re.fullmatch(rf"{re.escape(package)}(:\w+)?\.list", info.name)]
    assert lists, package
    own = [folder / line.lstrip("/") for info in lists for line in info.read_text().splitlines() if not re.match("/usr/share/(doc|lintian|man)/", line)]
    files = [file for file in own if file.is_file() and not (file.is_symlink() and os.path.isabs(os.readlink(file)))]
    if files:
        return files
    depends = subprocess.run(["dpkg-query", f"--admindir={folder}/var/lib/dpkg", "-W", "-f=${Depends}", package], capture_output=True, text=True, check=True).stdout
    return [file for name in re.findall(r"(?:^|, )([\w.+-]+)", depends) for file in files_of(folder, name)]


def try_in(folder, command, hidden=(), edit="", user=None):
    """Runs a shell command in a root, in a copy of the tree. hidden: packages whose files are not there, though dpkg believes so (files_of()). edit: a
    command that changes the copy first. user: a plain user's name. The finished process, with its output."""
    hide = [f"mount --bind /dev/null {shlex.quote(str(file))}" for package in hidden for file in files_of(folder, package)]
    for place in (str(ROOT), "/ccache"):    # where something is mounted
        (folder / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
    if user:
        edit += f"\nchown -R 1000:1000 {folder}{ROOT} {folder}/ccache; mkdir {folder}/tmp/home; chown 1000:1000 {folder}/tmp/home"
    script = IN_NAMESPACE.format(root=folder, tree=ROOT, cache=CACHE / "ccache", hide="\n".join(hide), edit=edit and f"(cd {folder}{ROOT}; {edit})",
                                 # Of the build, since ccache tells compilations by it.
                                 locale=" ".join(shlex.quote(f"{name}={os.environ[name]}") for name in ("LANG", "LC_ALL", "LC_CTYPE", "LC_MESSAGES") if name in os.environ),
                                 userspec="--userspec=1000:1000" if user else "", home="/tmp/home" if user else "/root",
                                 command=shlex.quote(f"cd {ROOT} && {{ {command}; }}; status=$?; echo; [ ! -s /tmp/ccache.log ] || ccache --show-log-stats | sed -n 's/^ *Hits: */compiler cache: /p' | head -1; exit $status"))
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
