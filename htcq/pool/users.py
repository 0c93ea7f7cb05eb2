"""What schedds know of their users: the records that condor_qusers -long prints (HTCondor 25.14).

Each says with ScheddName whose it is; the tool does not print that.
"""

from __future__ import annotations

from htcq.errors import InputError
from htcq.pool.adtext import Chunks, Damage, read_ads
from htcq.pool.left_out import USER as A_USER
from htcq.pool.left_out import LeavingOut
from htcq.pool.pool import Pool
from htcq.pool.record import RECORD, USER, Record, record_of
from htcq.pool.values import Interned
from htcq.pool.versions import version

#: The first version whose schedd looks at MaxJobsRunning of a user.
_LIMITS_USERS = (25, 4)
_TYPE = USER.encode()


def read_users(chunks: Chunks, left_out: LeavingOut) -> tuple[Record, ...]:
    """Return the records in ``chunks``; one without a name is left out.

    Raises:
        InputError: there is text that cannot be read.
    """
    damage, interned, found = Damage(left_out=left_out), Interned(), list[Record]()
    for raw in read_ads(chunks(), {_TYPE: RECORD}, damage, untyped=_TYPE):
        record = record_of(raw, interned)
        if record.text("User"):
            found.append(record)
        else:
            left_out.add(A_USER, "", "its User is no text")
    if damage.sentences():
        raise InputError("; it ".join(damage.sentences()))
    return tuple(found)


def not_asked(pool: Pool) -> str:
    """Return a sentence about schedds whose users may have unknown limits.

    Empty where there are none.
    """
    known = {record.text("ScheddName") for record in pool.users or ()}
    limiting = (
        each for each in pool.schedds if version(each.value("CondorVersion")) >= _LIMITS_USERS
    )
    missing = [schedd.name for schedd in limiting if schedd.name not in known]
    if not missing:
        return ""
    more = f" and {len(missing) - 1} more" if missing[1:] else ""
    return (
        f"user records of {missing[0]}{more} are not known: MaxJobsRunning of single users is "
        "not followed"
    )
