"""Which startds a capture asks for their configuration."""

from __future__ import annotations

import classad2

from htcq.live.asked_startds import AskedStartds


def looked_at(asked: AskedStartds, name: str, **values: object) -> None:
    ad = classad2.ClassAd({"Name": f"slot1@{name}", "Machine": name, **values})
    asked.look(ad, {"Name": f"slot1@{name}", "Machine": name, "MyAddress": f"<{name}>"})


def test_a_machine_is_asked_whose_slots_look_busy_while_every_job_fails_there() -> None:
    """Two jobs that fail at once are in their slots at this moment; six have been."""
    asked = AskedStartds()
    for number in range(20):
        looked_at(asked, f"m{number}", RecentClaimRequests=2, RecentJobStarts=2)
        looked_at(asked, f"m{number}", Activity="Busy", DynamicSlot=True)
        looked_at(asked, f"m{number}", Activity="Busy", DynamicSlot=True)
    looked_at(asked, "fails", RecentClaimRequests=4, RecentActivationRequests=4, RecentJobStarts=4)
    for _ in range(2):
        looked_at(asked, "fails", Activity="Busy", DynamicSlot=True)

    assert [each["Machine"] for each in asked.locations()] == ["m0", "fails"]
