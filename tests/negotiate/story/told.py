"""What a story says of one topic."""

from __future__ import annotations

from htcq.negotiate.look import QuotaLook
from htcq.negotiate.story.telling import story


def told(look: QuotaLook, group: str, topic: str) -> list[str]:
    return [sentence.text for sentence in story(look, group) if sentence.topic == topic]
