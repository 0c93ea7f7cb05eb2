"""htcq on the machine of a test pool, with that machine's own Python and HTCondor, as a package puts it there."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from access_point import Done
from conftest import ROOT
from testpool import Pool

#: What htcq needs of Python packages to write configuration; both are text alone.
_PACKAGES = ("jinja2", "markupsafe")
_PROGRAM = '#!/bin/sh\nPYTHONPATH={place} exec /usr/bin/python3 -m htcq "$@"\n'


@dataclass(frozen=True)
class OwnHtcq:
    """The program ``htcq`` in the root directory of a pool.

    ``program`` is its path there, ``pool`` the pool whose namespaces its commands run in.
    """

    pool: Pool
    program: str

    def run(self, *arguments: str, user: str = "root", **environment: str) -> Done:
        """Run ``htcq`` there as ``user``, with variables of the environment."""
        return self.shell(shlex.join(["htcq", *arguments]), user, **environment)

    def shell(self, line: str, user: str = "root", **environment: str) -> Done:
        """Run a line of shell there, in which ``htcq`` is on PATH."""
        places = f"{Path(self.program).parent}:/usr/sbin:/usr/bin:/sbin:/bin"
        variables = [f"{name}={value}" for name, value in {**environment, "PATH": places}.items()]
        account = ["setpriv", "--reuid", user, "--regid", "nogroup", "--clear-groups"]
        words = ["env", *variables, *([] if user == "root" else account), "sh", "-c", line]
        done = self.pool.run(words, capture_output=True, text=True)
        return Done(done.returncode, done.stdout, done.stderr)


def install(pool: Pool) -> OwnHtcq:
    """Put this checkout's htcq where the pool's daemons and tools can run it."""
    place = pool.path("htcq")
    code = place / "code"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "htcq", code / "htcq", ignore=ignored)
    shutil.copytree(ROOT / "templates", code / "htcq/templates")
    for name in _PACKAGES:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        shutil.copytree(Path(spec.origin).parent, code / name, ignore=ignored)
    program = place / "htcq"
    inside = str(place)[len(pool.record.root) :]
    program.write_text(_PROGRAM.format(place=f"{inside}/code"))
    program.chmod(0o755)
    place.chmod(0o755)
    return OwnHtcq(pool, f"{inside}/htcq")
