"""Which tests prove the sentences of SECURITY.md: each by its beginning, in the order of the page.

Paths are below tests/. A sentence that names its tests itself stands here without any.
"""

from __future__ import annotations

#: What a reader is told to do, and what introduces other sentences: nothing to prove.
ADVICE = (
    "htcq looks at pools in which strangers write",
    "This page says who is trusted with what",
    "What a pool's daemons say of quotas and usage is taken for true",
    "It must not be able to do more than that.",
    "What decides in elastic quotas: the plan, the writer and reclaim.",
    "HTCondor's configuration is root's:",
    "Of several who may write it, the least is named.",
    "The test of each sentence, in `tests/cli/test_confined_powers.py`:",
    "Run the installed command `htcq` rather than",
    "The latest release, and the development branch.",
    "Fixes are not carried back to older ones.",
    "Tell the maintainers privately",
    "Say which version, which command",
    "Take names out of snapshots first",
)

_POWERS = "cli/test_confined_powers.py"
_TEMPLATES = "test_templating.py"
_SITE, _RULES = "cli/test_site_file.py", "cli/test_site_rules.py"
_CONFIGURATION, _LOG = "pool/test_configuration.py", "cli/test_system_log.py"
_OWNERS, _UNWRITTEN = "cli/test_elastic_owners.py", "cli/test_nothing_written.py"
_HANDOVER, _CONFINED = "cli/test_elastic_handover.py", "cli/test_confined_commands.py"
_RECORD = "elastic/reclaim/test_reclaim_record.py"
_HOSTILE = "store/test_hostile_snapshot.py"

PROVEN: dict[str, tuple[str, ...]] = {
    "The section SECURITY of each manual page says the same": (
        "docs/test_security.py::test_the_page_of_every_command_says_what_the_table_says",
    ),
    "`tests/docs/security_sentences.py` has the tests": (),
    "An account that may advertise a startd says how much there is to share": (
        "elastic/test_gates.py::test_a_pool_does_not_grow_by_slots_that_come_one_by_one",
        "elastic/test_gates.py::test_a_person_accepts_a_larger_pool_and_it_may_shrink_and_come_back",
        "elastic/test_provenance.py::test_an_ad_with_extremes_is_survived_and_grows_no_pool",
        f"{_HANDOVER}::test_a_plan_that_does_not_follow_what_is_known_is_refused",
    ),
    "What changes a pool refuses a file of quotas or a journal": (
        f"{_OWNERS}::test_a_file_of_quotas_that_others_can_write_decides_nothing",
        f"{_OWNERS}::test_nor_one_in_a_directory_that_others_can_write",
        f"{_OWNERS}::test_a_journal_that_others_can_write_decides_nothing",
        f"{_OWNERS}::test_the_writer_follows_no_journal_that_others_can_write",
        f"{_OWNERS}::test_reclaim_follows_no_journal_that_others_can_write",
        f"{_OWNERS}::test_what_is_roots_is_used_by_another_account",
    ),
    "`elastic off` takes ceilings away by the journal of reclaim": (
        f"{_OWNERS}::test_off_reads_the_journal_of_the_account_that_takes_back",
        "contrib/test_systemd.py::test_only_the_writer_and_the_dead_man_of_elastic_quotas_are_root",
    ),
    "Some commands are there to write:": (
        f"{_UNWRITTEN}::test_every_command_is_there_to_write_or_is_tried",
    ),
    "All others write nothing without an option that says so.": (
        f"{_UNWRITTEN}::test_nothing_is_written",
        f"{_UNWRITTEN}::test_what_an_option_has_written_is_seen",
    ),
    "`tests/elastic/test_provenance.py` sets each attribute": (
        "elastic/test_provenance.py::test_what_the_owner_of_a_job_writes_changes_nothing_for_others",
    ),
    "It also checks that everything that is read is in this table.": (
        "elastic/test_provenance.py::test_what_is_read_of_jobs_and_slots_is_in_the_table",
        "elastic/test_provenance.py::test_what_is_read_by_name_is_in_the_table",
        "elastic/test_provenance.py::test_the_page_has_the_table",
    ),
    "Actions of a command: `quota` has `emit`": (
        "docs/test_security.py::test_every_action_is_named",
    ),
    "`elastic compute` and `quota lint` change nothing": (
        "cli/test_confined.py::test_only_files_that_the_command_line_names_are_written",
        "condor/test_elastic_writer.py::test_a_step_without_yes_is_only_told",
    ),
    "**Site files that nobody named.**": (
        f"{_SITE}::test_a_directory_that_others_can_write_is_not_trusted",
        f"{_SITE}::test_a_file_that_others_can_write_is_not_trusted",
        f"{_SITE}::test_what_belongs_to_another_account_is_not_trusted",
    ),
    "One in the current directory never says where templates": (
        f"{_SITE}::test_places_are_not_taken_from_a_file_that_is_only_found",
    ),
    "What is opened is judged, not a name.": (
        f"{_SITE}::test_a_file_of_roots_own_behind_anybodys_link_is_judged_by_its_owner",
    ),
    "**Templates** run in Jinja's sandbox": (
        f"{_TEMPLATES}::test_a_template_reaches_nothing_but_its_variables",
    ),
    "Their author is trusted with the text": (
        f"{_TEMPLATES}::test_a_value_stays_on_its_line",
        f"{_TEMPLATES}::test_a_value_makes_no_command_that_the_template_does_not_have",
        "pool/test_directives.py::test_every_command_that_htcondors_parser_obeys_is_seen",
    ),
    "**Plug-ins** with a site's own rules": (f"{_RULES}::test_it_runs_where_all_rules_run",),
    "They are loaded only if the directory": (
        f"{_RULES}::test_what_others_can_write_is_not_loaded",
        f"{_RULES}::test_what_belongs_to_somebody_else_is_not_loaded",
    ),
    "Their rules look at the pool in the confined process.": (
        f"{_RULES}::test_it_runs_where_all_rules_run",
        f"{_CONFINED}::test_an_attacker_in_the_evaluation_can_do_nothing",
    ),
    "With them root needs a Python whose packages everybody can read": (
        f"{_RULES}::test_with_one_that_not_everybody_can_read_root_evaluates_nothing",
    ),
    "What writes quotas or configuration never loads a plug-in.": (
        f"{_RULES}::test_what_writes_never_loads_one",
        f"{_RULES}::test_only_what_looks_asks_for_plug_ins",
        f"{_RULES}::test_what_audits_leaves_that_trace",
    ),
    "**HTCondor's parser** reads what is written": (
        f"{_CONFIGURATION}::test_a_configuration_from_elsewhere_runs_nothing",
        f"{_CONFIGURATION}::test_a_configuration_from_elsewhere_reads_no_file",
        "live/test_configuration.py::test_a_value_that_would_fill_the_memory_ends_the_parser_alone",
        "live/test_configuration.py::test_neither_environment_nor_this_machines_files_get_in",
    ),
    "HTCondor's library is always loaded without any configuration": (
        f"{_CONFIGURATION}::test_no_library_with_functions_for_expressions_is_loaded",
        "cli/test_reader.py::test_the_environment_does_not_matter",
        "cli/test_reader.py::test_the_accounts_own_configuration_does_not_matter",
    ),
    "**Strangers' data** have limits of size": (
        f"{_HOSTILE}::test_an_archive_that_expands_without_measure_is_refused",
        f"{_HOSTILE}::test_an_archive_of_more_files_than_a_pool_has_is_refused",
        "cli/test_confined.py::test_a_bomb_of_memory_that_nothing_tells_ends_with_one_line",
        "cli/test_confined.py::test_a_bomb_of_time_that_nothing_tells_ends_with_one_line",
        "classad/test_growth.py::test_a_bomb_is_refused_unread",
    ),
    "Every command that reads a pool evaluates them": (),
    "`emit --check` alone reads": (),
    "htcq(1) lists the limits.": ("cli/test_confined.py::test_the_limits_are_raised_by_an_option",),
    "A bad ad is left out, counted and named.": (
        "cli/test_confined.py::test_a_bomb_that_is_left_out_is_named",
        f"{_HOSTILE}::test_an_ad_that_is_too_long_is_left_out_and_the_others_are_read",
    ),
    "**Records**: where more than a printed answer": (
        "cli/test_confined.py::test_a_record_comes_without_a_standard_output_too",
    ),
    "It takes a record only if the types are right": (
        f"{_RECORD}::test_more_jobs_than_a_limit_allows_are_refused",
        f"{_RECORD}::test_a_plan_of_what_is_not_declared_is_refused",
    ),
    "What `elastic apply`, `run` and `reclaim` ask of daemons, and do": (
        f"{_CONFINED}::test_an_attacker_in_the_evaluation_can_do_nothing",
        "elastic/reclaim/test_reclaim_steps.py::"
        "test_daemons_are_asked_where_the_query_of_the_collector_found_them",
        "live/test_reconfig.py::"
        "test_the_command_goes_where_the_query_of_the_collector_found_the_negotiator",
    ),
    "`quota emit` gets why it is refused": (),
    "**Elastic quotas** are kept by two accounts": (
        f"{_HANDOVER}::test_a_file_or_directory_of_a_stranger_is_refused",
        f"{_HANDOVER}::test_a_file_or_directory_that_others_can_write_is_refused",
        f"{_HANDOVER}::test_numbers_that_cannot_be_are_refused",
        f"{_HANDOVER}::test_a_plan_that_does_not_follow_what_is_known_is_refused",
        "condor/test_elastic_handover.py::test_one_account_plans_what_another_one_writes",
    ),
    "`contrib/systemd` has the units and the account.": (
        "contrib/test_systemd.py::test_only_the_writer_and_the_dead_man_of_elastic_quotas_are_root",
        "contrib/test_systemd.py::test_the_account_is_made_by_systemd",
    ),
    "A planner in wrong hands can still move quotas": (
        f"{_HANDOVER}::test_a_planner_may_move_quotas_up_to_a_max_in_weight_and_one_step_at_a_time",
        f"{_HANDOVER}::test_numbers_that_cannot_be_are_refused",
        f"{_HANDOVER}::test_a_plan_is_written_once",
    ),
    "What the owner of a job writes into it decides": (
        "elastic/test_provenance.py::test_what_the_owner_of_a_job_writes_changes_nothing_for_others",
    ),
    "**Files** are written whole or not at all": (
        "test_whole_file.py::test_a_failure_changes_nothing_and_leaves_nothing",
        "cli/test_emit.py::test_a_link_is_not_written_through",
        "store/test_snapshot_writer.py::test_a_link_is_not_written_through",
        "cli/test_emit.py::test_what_is_replaced_is_kept",
    ),
    "The pages of `htcq report` are links": (),
    "**Changes** by `emit`, `quota emit`": (
        f"{_LOG}::test_what_emit_writes_and_removes_is_logged",
        f"{_LOG}::test_what_quota_emit_writes_is_logged",
        f"{_LOG}::test_what_is_put_back_is_logged_with_its_plan_and_result",
    ),
    "A refused plan is one as well.": (
        f"{_LOG}::test_a_refused_plan_of_another_account_is_logged",
    ),
    "**Output**: control characters": (
        "report/test_printable.py::test_what_is_not_seen_is_spelled_out",
        "cli/test_hostile_text.py::test_what_strangers_wrote_is_spelled_out_and_no_formula",
    ),
    "`htcq config check` says which of these rungs": (
        f"{_POWERS}::test_config_check_says_which_rungs_there_are",
    ),
    "An attacker in the process, under each account": (),
    "Root refuses where the account": (),
    "Every other account is told:": (),
    "Without a list of system calls": (),
    "Without Landlock the process can read": (),
    "The machine says what it has:": (),
    "What the process starts ends with it:": (),
    "It cannot hold up the process": (),
}
