"""Every attribute of jobs that changes where or when a job runs is followed, or a simulation names it.

The commands are those of condor_submit's manual (docs/man-pages/condor_submit.rst, 25.14) that matching, the schedd,
the shadow or the starter act upon; each with an attribute that it sets and a value that has an effect."""

from __future__ import annotations

import pytest

from htcq.htcondor.matching import Following, attributes_of
from htcq.live import projections
from htcq.simulate.unmodelled import unmodelled
from tests.audit.sites import job, pool, slot

COMMANDS = {
    "accounting_group": ("AccountingGroup", '"physics.ada"'),
    "accounting_group_user": ("AcctGroupUser", '"ada"'),
    "allowed_execute_duration": ("AllowedExecuteDuration", "3600"),
    "allowed_job_duration": ("AllowedJobDuration", "3600"),
    "checkpoint_exit_code": ("SuccessCheckpointExitCode", "85"),
    "checkpoint_destination": ("CheckpointDestination", '"osdf:///a"'),
    "concurrency_limits": ("ConcurrencyLimits", '"matlab:2"'),
    "concurrency_limits_expr": ("ConcurrencyLimits", 'strcat("m:", RequestCpus)'),
    "cron_day_of_month": ("CronDayOfMonth", '"1"'),
    "cron_day_of_week": ("CronDayOfWeek", '"1"'),
    "cron_hour": ("CronHour", '"3"'),
    "cron_minute": ("CronMinute", '"*/5"'),
    "cron_month": ("CronMonth", '"5"'),
    "deferral_prep_time": ("DeferralPrepTime", "600"),
    "deferral_time": ("DeferralTime", "1750000000"),
    "deferral_window": ("DeferralWindow", "60"),
    "gpus_minimum_capability": ("RequireGPUs", "Capability >= 8.0"),
    "hold": ("HoldReasonCode", "15"),
    "hook_keyword": ("HookKeyword", '"SITE"'),
    "job_lease_duration": ("JobLeaseDuration", "1200"),
    "job_machine_attrs": ("JobMachineAttrs", '"Machine"'),
    "job_max_vacate_time": ("JobMaxVacateTime", "300"),
    "keep_claim_idle": ("KeepClaimIdle", "60"),
    "kill_sig_timeout": ("KillSigTimeout", "60"),
    "leave_in_queue": ("LeaveJobInQueue", "JobStatus == 4"),
    "machine_count": ("MaxHosts", "4"),
    "max_idle": ("JobMaterializeMaxIdle", "10"),
    "max_job_retirement_time": ("MaxJobRetirementTime", "600"),
    "max_materialize": ("JobMaterializeLimit", "10"),
    "max_retries": ("JobMaxRetries", "3"),
    "max_transfer_input_mb": ("MaxTransferInputMB", "100"),
    "max_transfer_output_mb": ("MaxTransferOutputMB", "100"),
    "next_job_start_delay": ("NextJobStartDelay", "5"),
    "nice_user": ("NiceUser", "true"),
    "noop_job": ("IsNoopJob", "true"),
    "on_exit_hold": ("OnExitHold", "ExitCode != 0"),
    "on_exit_remove": ("OnExitRemove", "ExitCode == 0"),
    "parallel_shutdown_policy": ("ParallelShutdownPolicy", '"WAIT_FOR_ALL"'),
    "periodic_hold": ("PeriodicHold", "NumJobStarts > 5"),
    "periodic_release": ("PeriodicRelease", "NumHolds < 3"),
    "periodic_remove": ("PeriodicRemove", "JobStatus == 5"),
    "periodic_vacate": ("PeriodicVacate", "time() > 5"),
    "priority": ("JobPrio", "10"),
    "rank": ("Rank", "Memory"),
    "request_cpus": ("RequestCpus", "4"),
    "request_disk": ("RequestDisk", "1024"),
    "request_gpus": ("RequestGPUs", "1"),
    "request_memory": ("RequestMemory", "1024"),
    "require_gpus": ("RequireGPUs", "DeviceName == 1"),
    "requirements": ("Requirements", "Memory > 5"),
    "retry_request_memory": ("RetryRequestMemory", "4096"),
    "skip_if_dataflow": ("SkipIfDataflow", "true"),
    "success_exit_code": ("JobSuccessExitCode", "2"),
    "universe": ("JobUniverse", "7"),
    "when_to_transfer_output": ("WhenToTransferOutput", '"ON_EXIT_OR_EVICT"'),
    "want_graceful_removal": ("WantGracefulRemoval", "true"),
    "x509userproxy": ("X509UserProxyExpiration", "1750000000"),
    "+FlockTo": ("FlockTo", '"other.site"'),
    "+JobCoolDownExpiration": ("JobCoolDownExpiration", "1750000000"),
    "+Managed": ("Managed", '"External"'),
    "+OCUWanted": ("OCUWanted", "true"),
    "+OtherJobRemoveRequirements": ("OtherJobRemoveRequirements", '"DAGManJobId == 5"'),
    "+PreJobPrio1": ("PreJobPrio1", "4"),
    "+SpoolOnEvict": ("SpoolOnEvict", "true"),
    "+TimerRemove": ("TimerRemove", "1750000000"),
    "+TransformOnEvict": ("TransformOnEvict", '"Memory"'),
    "+WantFlocking": ("WantFlocking", "true"),
    "+WantFTOnCheckpoint": ("WantFTOnCheckpoint", "true"),
    "+CommonInputCatalogs": ("CommonInputCatalogs", '"genome"'),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_condor_submit_is_followed_or_named(command: str) -> None:
    name, value = COMMANDS[command]
    (row,) = (each for each in attributes_of("job") if each.name == name)
    given = pool(slot(), jobs=[job(**{name: value})])
    told = [each for each in unmodelled(given, courses=True) if each.startswith(f"{name} of 1.0 ")]

    assert name in projections.JOB
    assert len(told) == (row.following is not Following.FOLLOWED)
    assert all(" is not followed: " in each for each in told)


def test_what_has_no_effect_is_not_named() -> None:
    off = {name: "false" for name, _ in COMMANDS.values() if name not in ("Requirements", "Rank")}
    given = pool(slot(), jobs=[job(**{**off, "WhenToTransferOutput": '"ON_EXIT"'})])

    assert [*unmodelled(given, courses=True)] == []


def test_jobs_are_counted_and_what_their_processes_change_is_named() -> None:
    jobs = [
        job(ProcId=proc, JobMaxRetries="3", PeriodicHold="MemoryUsage > RequestMemory")
        for proc in (1, 2)
    ]
    access = {"access1": "SYSTEM_PERIODIC_REMOVE = DiskUsage > 5\n"}

    assert [*unmodelled(pool(slot(), jobs=jobs, access=access), courses=True)] == [
        "JobMaxRetries of 2 jobs, such as 1.1, is not followed: a job that fails waits again; jobs are "
        "taken to succeed",
        "DiskUsage in SYSTEM_PERIODIC_REMOVE is not followed: it stays as it was captured",
        "MemoryUsage in PeriodicHold of 1.1 is not followed: it stays as it was captured",
    ]
    assert [*unmodelled(pool(slot(), jobs=jobs, access=access))] == []
