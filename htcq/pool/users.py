"""Records of schedds about their users, as condor_qusers -long prints them (HTCondor 25.14).

ScheddName in each names its schedd; the tool does not print that.
"""

from __future__ import annotations

from htcq.errors import InputError
from htcq.htcondor.releases import USER_LIMITS
from htcq.pool.adtext import Chunks, Damage, read_ads
from htcq.pool.left_out import USER as A_USER
from htcq.pool.left_out import LeavingOut
from htcq.pool.pool import Pool
from htcq.pool.record import RECORD, USER, Record, record_of
from htcq.pool.values import Interned
from htcq.pool.versions import version
from htcq.units import first_named

_TYPE = USER.encode()


def read_users(chunks: Chunks, left_out: LeavingOut) -> tuple[Record, ...]:
    """Return the records in ``chunks``; one without a name is left out.

    Raises:
        InputError: there is text that cannot be read.
    """
    damage, interned, found = Damage(left_out=left_out), Interned(), list[Record]()
    for raw in read_ads(chunks(), {_TYPE: RECORD}, damage, interned, untyped=_TYPE):
        record = record_of(raw, interned)
        if record.text("User"):
            found.append(record)
        else:
            left_out.add(A_USER, "", "its User is no text")
    sentences = damage.sentences()
    if sentences:
        raise InputError("; it ".join(sentences))
    return tuple(found)


def not_asked(pool: Pool) -> str:
    """Return a sentence about schedds whose users may have unknown limits.

    Empty where there are none.
    """
    known = {record.text("ScheddName") for record in pool.users or ()}
    missing = []
    for schedd in pool.schedds:
        running = version(schedd.value("CondorVersion"))
        if running and USER_LIMITS.holds(running) and schedd.name not in known:
            missing.append(schedd.name)
    if not missing:
        return ""
    names = first_named(missing, 1)
    return f"user records of {names} are not known: MaxJobsRunning of single users is not followed"
