"""Table 4, the settings: as printed, as in the authors' code, and as run here."""

from __future__ import annotations

from karat.paper.layout import Table
from karat.paper.pairs import PAIRS
from karat.paper.ranking import Ranking
from karat.paper.schedules import in_words
from karat.paper.settings import FULL, RANKINGS, experiment_named, market_of

PRINTED = {
    "mnist-emnist": "CNN, n 5, m 10,000, (i-1)/n",
    "mnist-famnist": "CNN, n 10, m 10,000, (i-1)/n",
    "cifar10-cifar100": "ResNet-18, n 5, m 10,000, (i-1)/n",
    "credit7-credit31": "LogReg, n 5, m 5,000, (i-1)/(4n)",
    "ton-ugr16": "LogReg, n 5, m 4,000, (i-1)/(4n)",
    "calih-kingh": "LR, n 10, m 2,000, (i-1)/n",
    "census15-census17": "LR, n 5, m 4,000, (i-1)/n",
}
"""The rows of the paper's table."""


def settings_table() -> Table:
    """A row per market: what the paper prints, the schedule run, and both scales."""
    rows = []
    for name, market in RANKINGS.items():
        quick, full = experiment_named(name), experiment_named(name, FULL)
        assert isinstance(quick, Ranking)
        assert isinstance(full, Ranking)
        rows.append(
            (
                name,
                PAIRS[market.pair].title,
                PRINTED.get(market_of(name), "in the text"),
                in_words(market.kind, market.schedule),
                f"n {quick.n_vendors}, m {quick.rows:,}, {quick.trials} trials, {quick.model}",
                f"n {full.n_vendors}, m {full.rows:,}, {full.trials} trials, {full.model}",
            )
        )
    notes = (
        '"-code": the schedule of the authors\' code where it differs; "-wide": epsilon up to (n-1)/n.',
        'What the authors call logistic regression is a network with 16 hidden units; it is "mlp-16" here.',
        "ResNet-18 with ImageNet weights was not to be had: CIFAR is seen through frozen patch features.",
    )
    head = ("experiment", "sets", "paper", "levels", "quick", "full")
    return Table("settings", head, tuple(rows), notes)
