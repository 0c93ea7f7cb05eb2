"""What real interactive shells complete: bash and zsh on a terminal of their own, fish by its own query."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

#: Keys that put all completions of the word before the cursor into the line.
_ALL = {"bash": "\x1b*", "zsh": "\x18a"}
_PROMPT = b"READY> "
#: What the shell reads as it starts.
_SETUP = {
    "bash": """
PS1='READY> '
bind 'set enable-bracketed-paste off'
source {script}
""",
    "zsh": """
unset zle_bracketed_paste
setopt no_beep no_prompt_sp no_prompt_cr
autoload -Uz compinit && compinit -u -D
source {script}
bindkey -e
zle -C all-matches complete-word _generic
bindkey '^Xa' all-matches
zstyle ':completion:all-matches:*' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert yes
zstyle ':completion:all-matches:*' old-matches no
zstyle ':completion:*' verbose no
""",
}
_COMMANDS = {
    "bash": ["bash", "--rcfile", ".bashrc", "-i"],
    "zsh": ["zsh", "-d", "-i"],
}
_DEADLINE = 60.0


def completions(shell: str, script: Path, line: str, place: Path) -> list[str]:
    """Return the words that ``shell`` offers for the last word of ``line``, in the directory ``place``."""
    if shell == "fish":
        return _fish(script, line, place)
    return _typed(shell, script, line, place)


def _fish(script: Path, line: str, place: Path) -> list[str]:
    program = f"source {script}; cd {place}; complete -C $argv[1]"
    done = subprocess.run(
        ["fish", "--no-config", "-c", program, line],
        capture_output=True, text=True, check=True, timeout=_DEADLINE,
        env=_environment(place),
    )  # fmt: skip
    assert done.stderr == ""
    return [each.partition("\t")[0] for each in done.stdout.splitlines()]


def _environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "ZDOTDIR": str(home),
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
        "PS1": _PROMPT.decode(),
    }


def _typed(shell: str, script: Path, line: str, place: Path) -> list[str]:
    """Type ``line`` and the key for all completions, and let the shell write the words into a file."""
    (place / f".{shell}rc").write_text(_SETUP[shell].format(script=script))
    # To the beginning of the line: what is there becomes the words of a command that keeps them.
    keys = f"{line}{_ALL[shell]}\x01printf '%s\\n' >.answer \x05; exit\r"
    _on_a_terminal(_COMMANDS[shell], keys, place)
    told = (place / ".answer").read_text().splitlines()
    return [each for each in told[line.count(" ") :] if each]


def _on_a_terminal(command: Sequence[str], keys: str, place: Path) -> None:
    """Let ``command`` run on a terminal until it ends, and type ``keys`` at its prompt."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(place)
        os.execvpe(command[0], list(command), _environment(place))
    shown, typed = b"", False
    until = time.monotonic() + _DEADLINE
    try:
        while time.monotonic() < until:
            if not select.select([terminal], [], [], 1.0)[0]:
                continue
            try:
                shown += os.read(terminal, 65536)
            except OSError:  # the shell has ended
                return
            if not typed and _PROMPT in shown:
                typed = True
                os.write(terminal, keys.encode())
        raise AssertionError(f"{command[0]} did not end: {shown[-2000:]!r}")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
