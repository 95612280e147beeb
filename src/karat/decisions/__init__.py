"""From estimates and their uncertainty to answers: better, worse, undecided, and what would settle it."""

from karat.decisions.compare import Comparison, compare
from karat.decisions.looks import Look, Mixture, PlannedMaximum, Unplanned
from karat.decisions.margin import Margin
from karat.decisions.needed import RowsNeeded, rows_needed
from karat.decisions.policies import (
    POLICIES,
    AsymptoticPolicy,
    GuaranteedPolicy,
    PaperPolicy,
    Policy,
    policy_named,
)
from karat.decisions.rank import BestSet, PairMatrix, best_set, pair_matrix, probability_of_best

__all__ = [
    "POLICIES",
    "AsymptoticPolicy",
    "BestSet",
    "Comparison",
    "GuaranteedPolicy",
    "Look",
    "Margin",
    "Mixture",
    "PairMatrix",
    "PaperPolicy",
    "PlannedMaximum",
    "Policy",
    "RowsNeeded",
    "Unplanned",
    "best_set",
    "compare",
    "pair_matrix",
    "policy_named",
    "probability_of_best",
    "rows_needed",
]
