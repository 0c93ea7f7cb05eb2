"""What a story says of one topic."""

from __future__ import annotations

from htcq.poolquota.explanation.group import story
from htcq.poolquota.report import PoolQuotaReport


def told(look: PoolQuotaReport, group: str, topic: str) -> list[str]:
    return [sentence.text for sentence in story(look, group) if sentence.topic == topic]
