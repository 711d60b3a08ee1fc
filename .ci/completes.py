#!/usr/bin/env python3
"""Does a shell complete netkit from an unpacked package? Types on a terminal, as a user would.

completes.py bash|zsh ROOT [SHELLS]

ROOT is the unpacked package, SHELLS a folder with the unpacked packages of bash-completion or zsh,
where the system has none. Exit status 77: the shell or its completion is not there.
"""
import glob, os, pty, re, select, sys, time

shell, root = sys.argv[1], os.path.abspath(sys.argv[2])
shells = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else ""


def first(*patterns):
    """The first of these files that is there: the system's, else the unpacked one."""
    for base in ("", shells) if shells else ("",):
        for pattern in patterns:
            for path in sorted(glob.glob(base + pattern)):
                return path
    sys.exit(77)


env = {"PATH": root + "/usr/bin:" + os.environ["PATH"], "HOME": root, "TERM": "dumb", "LANG": "C.UTF-8"}
if shell == "bash":
    script = first("/usr/share/bash-completion/bash_completion")
    env["XDG_DATA_DIRS"] = root + "/usr/share"
    program, args = "bash", ["--norc", "--noprofile", "-i"]
    setup = ["PS1='READY> '", "bind 'set enable-bracketed-paste off'", ". '%s'" % script]
else:
    program, args = first("/bin/zsh", "/usr/bin/zsh"), ["-f", "-i"]
    functions = first("/usr/share/zsh/functions")
    modules = first("/usr/lib/*/zsh/*", "/usr/lib/zsh/*")
    folders = [path for path, _, _ in os.walk(functions)]
    setup = [
        "PS1='READY> '",
        "module_path=('%s')" % modules,
        "fpath=('%s/usr/share/zsh/vendor-completions' %s)" % (root, " ".join("'%s'" % f for f in folders)),
        "autoload -Uz compinit && compinit -u -D",
    ]

child, terminal = pty.fork()
if child == 0:
    os.execvpe(program, [program] + args, env)


def until(pattern, seconds=20):
    """What comes, until it fits."""
    text, end = "", time.time() + seconds
    while not re.search(pattern, text):
        left = end - time.time()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            sys.exit("%s: no %r in %r" % (shell, pattern, text))
        try:
            text += os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError:
            sys.exit("%s ended: %r" % (shell, text))
    return text


def typed(text):
    os.write(terminal, text.encode())


time.sleep(0.3)
for line in setup:
    typed(line + "\r")
typed("echo pre''pared\r")
until(r"prepared[\s\S]*READY> ")
# A command, an option, a protocol, a topic: each has exactly one completion.
for begun, whole in [
    ("netkit deco", "decode"),
    ("netkit decode --fol", "--follow"),
    ("netkit fields riptide.heart", "riptide.heartbeat"),
    ("netkit help perf", "performance"),
    ("netkit stats --sort dupl", "duplicates"),
    ("netkit proxy :1 127.0.0.1:1 --network satel", "satellite"),
    ("netkit stats --plot CHANGEL", "CHANGELOG.md"),
]:
    typed(begun + "\t")
    until(re.escape(whole))
    # Clears the line.
    typed("\x15")
print("%s completes netkit from %s" % (shell, os.path.relpath(root)))
os.close(terminal)
