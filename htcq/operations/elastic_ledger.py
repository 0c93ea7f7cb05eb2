"""The elastic quotas in the ledger of ``htcq drift record``, and its entries for an observation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from htcq.errors import InputError

if TYPE_CHECKING:
    from htcq.drift.ledger import LedgerEntry
    from htcq.elastic.activity import Activity
    from htcq.pool.pool import Pool
    from htcq.quota.elastic.declaration import ElasticQuotas

_HINT = "see htcq-elastic(1)"


@dataclass(frozen=True)
class Elastic:
    """The trees of a file of quotas, by the name of the negotiator that each is for.

    ``activities`` say of each whether its quotas are kept, by its journal.
    """

    file: str
    trees: Mapping[str, ElasticQuotas]
    activities: Mapping[str, Activity]

    def entries(self, pool: Pool, negotiator: str) -> tuple[LedgerEntry, ...]:
        """Return the ledger of ``pool``, as ``negotiator`` sees it if one is named.

        Raises:
            InputError: there are several trees, and none is that negotiator's.
        """
        from htcq.drift.ledger_entries import entries
        from htcq.elastic.observation import observe
        from htcq.quota.elastic.runtime import compute

        quotas = self.trees[self._tree(negotiator, pool.negotiator)]
        demand = observe(pool, quotas, negotiator).demand
        quotas = quotas.of(demand.total)
        return entries(quotas, demand, compute(quotas, demand))

    def activity(self, pool: Pool, negotiator: str) -> Activity:
        """Return whether the quotas of that tree are kept, by its journal.

        Raises:
            InputError: there are several trees, and none is that negotiator's.
        """
        return self.activities[self._tree(negotiator, pool.negotiator)]

    def _tree(self, named: str, pool: str) -> str:
        from htcq.operations.elastic_quotas import tree_for

        negotiator = named or pool
        tree = tree_for(self.trees, negotiator)
        if tree is not None:
            return tree
        if len(self.trees) == 1 and not named:
            return next(iter(self.trees))
        told = f"the negotiator {negotiator}" if negotiator else "a negotiator without a name"
        raise InputError(
            f"{self.file} has no tree for {told}", f"--name one of {', '.join(sorted(self.trees))}"
        )


def read_elastic(file: str) -> Elastic:
    """Return the quotas of ``file``.

    Raises:
        InputError: it cannot be read, or what it declares is refused.
    """
    from htcq.audit.elastic import refuse_unsound
    from htcq.operations.elastic_quotas import read_quota_file, tree_states_of

    trees = read_quota_file(file).trees
    for quotas in trees.values():
        refuse_unsound(quotas, file)
    activities = {tree: state.activity for tree, state in tree_states_of(file, trees).items()}
    return Elastic(file, trees, activities)
