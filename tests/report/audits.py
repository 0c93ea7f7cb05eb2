"""Audits made up for tests of their reports: names that would break out of a report, long values, many of a kind."""

from __future__ import annotations

from dataclasses import replace

from htcq.audit.engine import Audit, Checked, Finding, NotChecked
from htcq.audit.fix import Role, Setting
from htcq.audit.rule import Fact, Severity
from htcq.claims.costs import Share
from htcq.poolquota.ailment import Ailment
from htcq.report.charts.pictures import GroupBar, Pictures

WEIGHT = Finding(
    rule="weight-not-a-number",
    severity=Severity.ERROR,
    subject="slot slot1@node01.example.net",
    message=(
        "SlotWeight is no number when nothing is left: the first match there makes the "
        "negotiator crash"
    ),
    evidence=(Fact("SlotWeight", "floor(NoSuchThing/2)"),),
    advice="Write a weight that is a number whatever is left.",
    count=412,
    examples=("slot1@node01.example.net", "slot1@node02.example.net", "slot1@node03.example.net"),
    cause="floor(NoSuchThing/2)",
)
USERS = Finding(
    rule="users-of-nobody",
    severity=Severity.WARNING,
    subject="submitter group_physics.analysis.ada@site",
    message="there is no group group_physics.analysis",
    evidence=(),
    advice="Name a group that exists.",
    count=3,
    examples=("group_physics.analysis.ada@site",),
    cause="group_physics.analysis",
)
QUOTA = Finding(
    rule="quota-of-nobody",
    severity=Severity.WARNING,
    subject="knob GROUP_QUOTA_group_physics.analysis",
    message="GROUP_QUOTA_group_physics.analysis belongs to a group that GROUP_NAMES does not list",
    evidence=(
        Fact(
            "GROUP_QUOTA_group_physics.analysis", "120", "/etc/condor/config.d/30-quotas.config:17"
        ),
        Fact(
            "GROUP_NAMES",
            "group_physics, group_chemistry, group_biology",
            "/etc/condor/config.d/30-quotas.config:3",
        ),
    ),
    advice="Correct the name, or add the group to GROUP_NAMES.",
    count=1,
    examples=("group_physics.analysis",),
    cause="group_physics.analysis",
    settings=(
        Setting(
            Role.CENTRAL,
            "GROUP_NAMES",
            "group_physics, group_chemistry, group_biology, group_physics.analysis",
            "/etc/condor/config.d/30-quotas.config",
        ),
    ),
    caused=(USERS,),
)
SCRIPT = Finding(
    rule="memory-wasted",
    severity=Severity.INFO,
    subject="slot <script>document.title = 'stolen'</script>",
    message="the slot's name is <b>odd</b> & \x1b[31mred\x1b[0m",
    evidence=(Fact("ConsumptionMemory", "ifThenElse(" * 30 + "RequestMemory" + ")" * 30),),
    advice="Give it another name.",
    count=2,
    examples=("<script>alert(1)</script>", "slot1@node07"),
    cause="odd",
    settings=(
        Setting(Role.EXECUTE, "STARTD_NAME", "slot|1", nodes=("node07",)),
        Setting(Role.ACCESS, "A", "<i>1</i>"),
    ),
)
SAMPLE = Audit(
    findings=(WEIGHT, QUOTA, SCRIPT),
    not_checked=(
        NotChecked("demand-of-nothing", "job ads (jobs.ads)"),
        NotChecked("demand-too-small", "job ads (jobs.ads)"),
        NotChecked("memory-wasted", "an execution point's configuration (execute/NAME.txt)"),
    ),
    rules=(
        Checked("weight-not-a-number", Severity.ERROR),
        Checked("quota-of-nobody", Severity.WARNING),
        Checked("memory-wasted", Severity.INFO),
        Checked("quiet-rule", Severity.ERROR),
    ),
    incomplete=("jobs of access2.example.net: no answer within 60 s",),
    source="cm.example.net",
    taken="2026-11-02T08:15:00+00:00",
)
SICK = replace(
    SAMPLE,
    findings=(),
    health=(
        Ailment(
            "negotiator-late",
            "the negotiator <b>N</b> is late: no cycle for 1141 s, NEGOTIATOR_INTERVAL is 60 s",
        ),
        Ailment("collector-unread", "the ads of the collector are not known", certain=False),
    ),
)
NOTHING = Audit((), (), (Checked("quiet-rule", Severity.ERROR),), source="cm.example.net")
PICTURES = Pictures(
    shares=(
        Share("Cpus", 1200, 8000, 0.8),
        Share(
            "max({Cpus, floor(Memory / 2048), GPUs * 16, ifThenElse(Disk > 100000000, 2, 1)})",
            90,
            1900,
            0.19,
        ),
        Share("", 1, 100, 0.01),
    ),
    more_shares=2,
    groups=(
        GroupBar("<none>", "", 0, 10000, 9100, 14200),
        GroupBar("group_physics", "<none>", 1, 6000, 5800, 9000),
        GroupBar("group_physics.production", "group_physics", 2, 4000, 4000, 4000),
        GroupBar(
            "group_physics.production.a_group_with_quite_a_long_name_of_its_own",
            "group_physics.production",
            3,
            1000,
            0,
            0.5,
        ),
        GroupBar("group_chemistry", "<none>", 1, 4000, 3300, 5200),
    ),
)
