"""The writer on a central manager whose negotiator does not serve.

It keeps its file as the negotiator that serves publishes the quotas, so that its own begins with
them. It reads no ad of slots or jobs, and tells no negotiator anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from htcq.elastic.gates import foreign_file
from htcq.elastic.journal import FOLLOW, INTENT, LOOK, JournalRecord
from htcq.elastic.quota_file import QuotaKnobs, WrittenQuota, file_of, ordered
from htcq.elastic.quota_target import QuotaTarget
from htcq.emit.elastic import check_values, quota_text
from htcq.errors import RefusedError
from htcq.live.configuration import read_configuration
from htcq.operations.configuration_files import target_for
from htcq.quota.group_tree import name_key

if TYPE_CHECKING:
    from htcq.elastic.serving import Serving
    from htcq.live.reconfig import Published
    from htcq.operations.elastic_quotas import Declared
    from htcq.operations.quota_writer import Writer


def follow(writer: Writer, declared: Declared, serves: Serving) -> str:
    """Write what the negotiator that serves has, if it is new; return in a sentence what was done.

    Raises:
        RefusedError: it does not have the declared groups, or somebody has changed the file.
        HtcqError: the pool does not answer, or the file cannot be written.
    """
    state, present = writer.state(), writer.present()
    for refusal in foreign_file(state, present, declared.settings):
        raise RefusedError(f"nothing is written: {refusal.message}", refusal.hint)
    file = _file_of(writer.negotiator.published(), declared, serves)
    record = JournalRecord(
        0, 0.0, LOOK, what=FOLLOW, told=serves.sentence, negotiator=serves.negotiator
    )
    there = state.in_force
    if there is not None and file_of(there.quotas).knobs() == file.knobs():
        writer.add(record)
        return f"{writer.path}: unchanged: {serves.sentence}"
    text = quota_text(file, writer.instance)
    names = [name for name, _ in file.knobs()]
    check_values(file, read_configuration(text, names), "when HTCondor reads the file")
    target_for(writer.path.parent, writer.path.name, text)
    writer.follow(
        JournalRecord(
            0, 0.0, INTENT, what=FOLLOW, told=serves.sentence, text=text, quotas=file.quotas
        )
    )
    return f"{writer.path}: written as the pool has it: {serves.sentence}"


def _file_of(published: Published, declared: Declared, serves: Serving) -> QuotaKnobs:
    """Return the published quotas of the declared groups, in the order of a file."""
    found = {name_key(name): each for name, each in published.groups.items()}
    there = []
    for group in declared.quotas.groups:
        if name_key(group.name) not in found:
            raise RefusedError(
                f"nothing is written: the negotiator {serves.negotiator} has no group {group.name}",
                f"has the writer on {serves.machine} written?",
            )
        quota, policy = found[name_key(group.name)]
        parent = group.name.rpartition(".")[0]
        there.append(QuotaTarget(group.name, parent, True, quota, policy != "no"))
    written = [WrittenQuota(each.group, each.quota, each.accept_surplus) for each in ordered(there)]
    return QuotaKnobs(tuple(written))
