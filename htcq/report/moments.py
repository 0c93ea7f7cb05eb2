"""Moments and lengths of time as people read them; times are in seconds since 1970."""

from __future__ import annotations

from datetime import datetime, timezone, tzinfo

#: The range that every time zone can show: years 2 to 9998. A damaged file may have any moment.
_FIRST, _LAST = -62_100_000_000, 253_370_000_000
#: So long ago a weekday is enough to say when.
_WEEK = 6 * 86400
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def moment(seconds: float, zone: tzinfo | None = None) -> str:
    """Return ``2026-11-02 08:15`` in ``zone``, that of this machine if it is None."""
    return local(seconds, zone).strftime("%Y-%m-%d %H:%M")


def as_people_write(taken: str, zone: tzinfo | None = None) -> str:
    """Return ``2 November 2026, 08:15 CET`` for the ISO 8601 time ``taken``.

    A text that is no time with a zone stays as it is.
    """
    try:
        found = datetime.fromisoformat(taken)
    except ValueError:
        return taken
    if not found.tzinfo:
        return taken
    here = local(found.timestamp(), zone)
    return f"{here.day} {here:%B %Y}, {here:%H:%M} {here.tzname() or ''}".rstrip()


def iso(seconds: float) -> str:
    """Return ``2026-11-02T08:15:00+00:00``, always in UTC."""
    return local(seconds, timezone.utc).isoformat(timespec="seconds")


def iso_or_none(seconds: float | None) -> str | None:
    """Return the moment as :func:`iso` does; None if there is none."""
    if seconds is None:
        return None
    return iso(seconds)


def local(seconds: float, zone: tzinfo | None = None) -> datetime:
    """Return the moment in ``zone``, that of this machine if it is None.

    A moment out of range becomes the nearest one in range.
    """
    within = min(max(_FIRST, seconds), _LAST)
    return datetime.fromtimestamp(within, tz=timezone.utc).astimezone(zone)


def zone_name(seconds: float, zone: tzinfo | None = None) -> str:
    """Return what the time zone is called at that moment, such as CET."""
    return local(seconds, zone).tzname() or ""


def lasting(seconds: float) -> str:
    """Return a length of time in its greatest unit: ``7 d``, ``1.5 h``, ``20 min``, ``45 s``."""
    for unit, name in _UNITS:
        if seconds >= unit:
            return f"{seconds / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{seconds:.0f} s"


def since_words(since: float, now: float, zone: tzinfo | None = None) -> str:
    """Return ``since 08:15``, ``since Thursday`` or ``since 3 November``, whichever is enough."""
    then, here = local(since, zone), local(now, zone)
    if then.date() == here.date():
        return f"since {then:%H:%M}"
    if now - since < _WEEK:
        return f"since {then:%A}"
    return f"since {then.day} {then:%B}"
