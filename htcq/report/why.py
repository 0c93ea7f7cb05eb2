"""Why jobs are idle, as JSON and as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from htcq.audit.why import WhyIdle

SCHEMA = 1
NOTHING = "nothing stands in the way: the next cycle should match it"


def why_json(answers: Sequence[WhyIdle], source: str) -> dict[str, Any]:
    """Return the answers; the first reason of each is the first wall, none means that nothing stands in the way."""
    return {
        "schema": SCHEMA,
        "source": source,
        "jobs": [
            {
                "job": one.job,
                "submitter": one.submitter,
                "idle": one.idle,
                "wall": one.reasons[0].wall if one.reasons else "",
                "reasons": [
                    {
                        "wall": reason.wall,
                        "message": reason.message,
                        "evidence": [
                            {"attribute": fact.attribute, "value": fact.value, "place": fact.place}
                            for fact in reason.facts
                        ],
                    }
                    for reason in one.reasons
                ],
            }
            for one in answers
        ],
    }


def show_why(answers: Sequence[WhyIdle], stream: TextIO) -> None:
    """Write the answers as sentences, the first wall of each first."""
    for one in answers:
        others = f" and {one.idle - 1} like it" if one.idle > 1 else ""
        print(f"job {one.job} of {one.submitter}{others}:", file=stream)
        if not one.reasons:
            print(f"  {NOTHING}", file=stream)
        for number, reason in enumerate(one.reasons):
            print(f"  {'' if number == 0 else 'then '}{reason.wall}: {reason.message}", file=stream)
            for fact in reason.facts:
                print(f"    {fact.attribute} = {fact.value}", file=stream)
