#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ./dev does on a machine that is not ready: nothing is installed unasked, not for root either; without sudo it says what is
to be run; a source that cannot be written is built elsewhere. Package manager, sudo and build tools are stand-ins that note what
they are told."""
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile

import common

STAND_INS = {
    "apt-get": """case "$*" in
*--print-uris*) printf "'http://a/b.deb' b.deb 1500000 MD5Sum:0\\n'http://a/c.deb' c.deb 2000000 MD5Sum:0\\n" ;;
*) echo "apt-get $*" >>"$NOTES" ;;
esac""",
    "sudo": 'echo "sudo $*" >>"$NOTES"; exec "$@"',
    "id": 'echo "$USER_ID"',
    "dpkg-query": 'echo "$PACKAGES"',
    "meson": 'echo "meson $*" >>"$NOTES"; echo "    CUDA backend        : NO, because nvcc cannot be used"',
    "ninja": 'echo "ninja $*" >>"$NOTES"',
}
REAL = ("awk", "bash", "sed", "env", "dirname", "realpath", "mkdir", "cat", "rm", "grep")
problems = []


def expect(what, ok, *details):
    if not ok:
        problems.append(f"dev: not so: {what}: {details}")


class Machine:
    """A copy of ./dev in a folder that belongs to nobody in particular, and the programs that it finds."""

    def __init__(self, folder, user, packages, without=()):
        self.source, self.bin, self.home = (folder / name for name in ("source", "bin", "home"))
        self.notes = self.home / "notes"
        for path in (self.source, self.bin, self.home):
            path.mkdir()
        shutil.copy(common.ROOT / "dev", self.source / "dev")
        for name, text in STAND_INS.items():
            if name not in without:
                (self.bin / name).write_text(f"#!{shutil.which('bash')}\n{text}\n")
                (self.bin / name).chmod(0o755)
        for name in REAL:
            (self.bin / name).symlink_to(shutil.which(name))
        self.env = {"PATH": str(self.bin), "HOME": str(self.home), "NOTES": str(self.notes), "USER_ID": str(user),
                    "PACKAGES": packages, "LC_ALL": "C.UTF-8"}

    def told(self):
        return self.notes.read_text() if self.notes.exists() else ""

    def run(self, *args, answer=None, **options):
        """Status and all that was said; `answer` is typed at a terminal, without one there is none."""
        command = [str(self.bin / "bash"), str(self.source / "dev"), *args]
        if answer is None:
            done = subprocess.run(command, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=60, **options)
            return done.returncode, done.stdout
        ours, its = pty.openpty()
        os.write(ours, answer)
        done = subprocess.run(command, env=self.env, stdin=its, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=60)
        os.close(ours)
        os.close(its)
        return done.returncode, done.stdout


def case(function):
    with tempfile.TemporaryDirectory(prefix="vitrail-dev-") as folder:
        os.chmod(folder, 0o755)
        function(pathlib.Path(folder))


def asks(user):
    def check(folder):
        machine = Machine(folder, user, "")
        status, said = machine.run("deps")
        expect(f"user {user} without a terminal: nothing is installed", status == 1 and not machine.told(), said, machine.told())
        expect("it is told how much it is", "2 in all, 4 MB to download" in said, said)
        expect("and --yes is named", "run again with --yes" in said and "missing packages: gcc" in said, said)
        for answer in (b"n\n", b"\n", b"\x04"):
            status, said = machine.run("deps", answer=answer)
            expect(f"user {user} answers {answer}: nothing is installed", status == 1 and not machine.told(), said)
            expect("and that is said", "nothing installed" in said, said)
        status, said = machine.run("deps", answer=b"y\n")
        expect(f"user {user} agrees: it is installed", status == 0 and "apt-get install -y" in machine.told(), said, machine.told())
        expect("with sudo for all but root", ("sudo" in machine.told()) == (user != 0), machine.told())
    return check


def agreed_before(folder):
    machine = Machine(folder, 0, "")
    status, _ = machine.run("deps", "--yes")
    expect("--yes installs without a question", status == 0 and "apt-get install" in machine.told(), machine.told())


def no_sudo(folder):
    machine = Machine(folder, 1000, "", without=["sudo"])
    status, said = machine.run("deps", "--yes")
    expect("without sudo nothing is tried", status == 1 and not machine.told(), said, machine.told())
    expect("and the command for root is there", "no sudo" in said and "apt-get install -y" in said and "libgtk-4-dev" in said, said)


def no_manager(folder):
    machine = Machine(folder, 1000, "", without=["apt-get"])
    status, said = machine.run("deps", "--yes")
    expect("an unknown system is sent to README.md", status == 1 and "README.md" in said, status, said)


def useless_nvcc(folder):
    machine = Machine(folder, 1000, "")
    (machine.bin / "nvcc").symlink_to(shutil.which("cat"))
    status, said = machine.run("build", "--yes")
    expect("beside nvcc there is to be a C++ compiler", status == 0 and " g++" in machine.told(), status, said, machine.told())
    expect("and what is in nvcc's way is said", "building for the CPU only: nvcc cannot be used" in said, said)
    for name in ("build.ninja", "no-nvcc"):
        (machine.source / "build" / name).touch()
    machine.run("build", "--yes")
    expect("an nvcc that has come since is looked for", "meson setup --reconfigure" in machine.told(), machine.told())
    (machine.source / "build" / "build.ninja").touch()
    before = machine.told().count("meson setup")
    machine.run("build", "--yes")
    expect("once", machine.told().count("meson setup") == before and not (machine.source / "build" / "no-nvcc").exists(), machine.told())


def gdal(folder):
    machine = Machine(folder, 0, "")
    module = "viewer/vitrail-objects-gdal.so"
    (machine.source / "build").mkdir()
    for rules, is_built in (("", False), (f"build {module}: c_LINKER\n", True)):
        (machine.source / "build" / "build.ninja").write_text(rules)
        status, said = machine.run("shell", "bash", "--version", "--yes")
        expect("the module for GDAL's formats is built where there is one", status == 0 and (module in machine.told()) == is_built,
               status, said, machine.told())


def read_only(folder):
    """Root may write everywhere, so this is another user where root runs it."""
    machine = Machine(folder, 1000, "installed")
    options = {}
    if os.getuid() == 0:
        os.chown(machine.home, 65534, 65534)
        options = {"user": 65534, "group": 65534, "extra_groups": []}
    machine.source.chmod(0o555)
    try:
        status, said = machine.run("build", **options)
    except PermissionError:
        print(f"dev: not tried as another user, who cannot reach {folder}")
        return
    built = str(machine.home / ".cache/vitrail") + "/build" + str(machine.source).replace("/", "-")
    expect("a source that is read only is built in the cache", status == 0 and f"meson setup {built}" in machine.told(),
           status, said, machine.told())
    expect("and nothing is written to it", [p.name for p in machine.source.iterdir()] == ["dev"])
    machine.source.chmod(0o755)


def fuzz_time(folder):
    """Of .ci/run: a minute for each target where there is time for it."""
    if not (common.ROOT / ".ci/run").exists():
        print("dev: no .ci/run here")
        return
    for gone, targets, processors, seconds in ((0, 20, 2, 60), (30 * 60, 20, 2, 60), (30 * 60 + 1, 20, 2, 30), (29 * 60, 21, 2, 60),
                                               (29 * 60 + 1, 21, 2, 30), (39 * 60, 20, 32, 60), (60 * 60, 1, 1, 30)):
        done = subprocess.run([str(common.ROOT / ".ci/run"), "fuzz-seconds", *map(str, (gone, targets, processors))], capture_output=True, text=True, cwd=folder)
        expect(f"{seconds} s for each of {targets} targets, {processors} at once, after {gone} s", done.stdout == f"{seconds}\n", done)


for function in (asks(0), asks(1000), agreed_before, no_sudo, no_manager, useless_nvcc, gdal, read_only, fuzz_time):
    case(function)
sys.exit(common.report("dev", problems))
