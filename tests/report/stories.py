"""Stories made up for tests of their reports: a quota that changed, a group that starved, names that break out."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from htcq.drift.explanation import DriftExplanation, Remembered, tell
from htcq.drift.ledger import AMOUNTS, Booking, LedgerEntry
from htcq.drift.observation import Kept, QuotaSample
from tests.drift.looks import kept, sample, static

ZONE = timezone(timedelta(hours=1), "CET")
DAY = 86400
#: A week that begins on Monday the 2nd of November at midnight by those clocks.
SINCE = int(datetime(2026, 11, 2, tzinfo=ZONE).timestamp())
UNTIL = SINCE + 7 * DAY
STEP = 900
ODD = "<script>document.title = 'stolen'</script>"
LONG = "group_ops.with_a_name.that_goes_on.and_on.for_the_analysis_of_everything"
DOUBT = "the published usage of chem is -3: what its claimed slots weigh counts instead"


def _looks() -> list[QuotaSample]:
    """Physics has 100, and 60 from Wednesday on; it starves on Monday. Chemistry is over on Tuesday. No Friday."""
    found = []
    for end in range(SINCE + STEP, UNTIL + 1, STEP):
        day = (end - SINCE - 1) // DAY
        if day == 4:
            continue
        quota = 100.0 if day < 2 else 60.0
        found.append(sample("physics", end, 50.0, quota, STEP, starved=STEP if day == 0 else 0.0))
        found.append(
            sample(
                "chem", end, 30.0 if day == 1 else 20.0, 20.0, STEP, over=STEP if day == 1 else 0.0
            )
        )
        published = 5.0 if day >= 5 else 10.0
        found.append(
            sample(
                ODD, end, 1.0, 10.0, STEP, effective=published, lending=STEP if day == 1 else 0.0
            )
        )
        found.append(sample(LONG, end, 0.0, None, STEP))
    return found


_BEFORE = SINCE - 30 * DAY
_KEPT = (
    kept("declared", "physics", static(100), _BEFORE),
    kept("configured", "physics", static(100), _BEFORE, SINCE + 2 * DAY),
    kept("configured", "physics", static(60, accept_surplus=True), SINCE + 2 * DAY),
    kept("configured", "chem", static(20), _BEFORE),
    kept("declared", "chem", static(20), _BEFORE),
    kept("setting", "SLOT_WEIGHT", "Cpus", _BEFORE, SINCE + DAY),
    kept("setting", "SLOT_WEIGHT", "max({Cpus, floor(Memory / 2048)})", SINCE + DAY),
    kept("weight", "\x1b[31mZürich", "3 slots, weight 24", SINCE + DAY),
    kept("doubt", "", DOUBT, SINCE + 5 * DAY),
)  # fmt: skip


def _ledger() -> list[Booking]:
    """Of 100 GPUs physics is guaranteed 40 and chemistry 20. On Monday all else is broken, and physics lends 30.

    On Tuesday both use what is theirs. Names that break out have slot weight of which nobody is
    guaranteed any; of the memory, all of which is guaranteed to physics, nobody uses any."""
    days = (
        (
            LedgerEntry("<none>", "gpus", 60, 60, 60, 30, 30),
            LedgerEntry("physics", "gpus", 40, 10, 10, lent=30),
        ),
        (LedgerEntry("<none>", "gpus", 60, 100, 60), LedgerEntry("physics", "gpus", 40, 40, 40)),
    )
    chem = (
        LedgerEntry("chem", "gpus", 20, 50, 50, borrowed=30),
        LedgerEntry("chem", "gpus", 20, 20, 20),
    )
    always = (
        LedgerEntry("<none>", "weight", 0, 9000, 1500, 0, 1500),
        LedgerEntry(ODD, "weight", 0, 1000, 1000, 0, 1000),
        LedgerEntry(LONG, "weight", 0, 500, 500, 0, 500),
        LedgerEntry("<none>", "memory", 4096, 4096, unused=4096),
        LedgerEntry("physics", "memory", 4096, unused=4096),
    )
    return [
        Booking(
            LedgerEntry(each.group, each.dimension, *(getattr(each, name) * DAY for name in AMOUNTS)),
            SINCE + day * DAY, SINCE + (day + 1) * DAY, DAY,
        )
        for day in range(2)
        for each in (*days[day], chem[day], *always)
    ]  # fmt: skip


STORY = tell(
    Remembered("cm.example.net", "slot weight", _BEFORE, _looks(), _KEPT, _looks(), _ledger()),
    SINCE,
    UNTIL,
)
#: The same week in which nothing changed, and one of which nothing is known.
QUIET = tell(Remembered("cm.example.net", "slots", _BEFORE, _looks()[:1], ()), SINCE, UNTIL)
UNSEEN = tell(Remembered("other.example.net", "slot weight", _BEFORE, (), ()), SINCE, UNTIL)


def crowd(groups: int) -> DriftExplanation:
    """Return a story of many groups; the later ones have more trouble, and all of them changed."""
    names = [f"group_{number:03d}" for number in range(groups)]
    looks = [
        sample(name, SINCE + STEP, number, 500.0, STEP, starved=STEP)
        for number, name in enumerate(names)
    ]
    texts: list[Kept] = []
    for name in names:
        texts += [
            kept("configured", name, static(400), _BEFORE, SINCE + DAY),
            kept("configured", name, static(500), SINCE + DAY),
        ]
        texts.append(kept("declared", name, static(400), _BEFORE))
    return tell(Remembered("cm.example.net", "slot weight", _BEFORE, looks, texts), SINCE, UNTIL)
