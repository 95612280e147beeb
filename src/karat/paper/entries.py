"""Every table and figure of the paper, 22 and 11: what it shows and which experiments give it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from karat.errors import UsageError

NO_GPU = "not measured, no GPU"


@dataclass(frozen=True)
class Entry:
    """One table or figure.

    what: in a line; experiments: what has to be run; minutes: of them at quick scale, on two cores;
    hours: at full scale, estimated; note: what to know before reading it.
    """

    id: str
    what: str
    family: str
    experiments: tuple[str, ...] = ()
    minutes: float = 0.0
    hours: float = 0.0
    note: str = ""

    @property
    def is_measured(self) -> bool:
        """Whether there is anything to run."""
        return bool(self.experiments)


_CLASH = "The caption's n is run, and at full scale its m* = 10,000 (quick: 2,000); the settings table says"

ENTRIES = (
    Entry("table-1", "KL, WD, MMD² and MMD compared", "divergences", ("divergences",), 1, 0.5),
    Entry(
        "table-2",
        "classification: CIFAR10/CIFAR100, TON/UGR16",
        "ranking",
        (
            "cifar10-cifar100",
            "reasons-cifar10-cifar100",
            "ton-ugr16",
            "reasons-ton-ugr16",
            "ton-ugr16-code",
            "ton-ugr16-wide",
        ),
        4,
        6,
    ),
    Entry(
        "table-3",
        "regression: CaliH/KingH, Census15/Census17",
        "ranking",
        (
            "calih-kingh",
            "calih-kingh-code",
            "reasons-calih-kingh-code",
            "census15-census17",
            "census15-census17-code",
        ),
        3,
        1,
    ),
    Entry("table-4", "the settings: sets, models, n, m, epsilon", "settings"),
    Entry(
        "table-5", "discrete distributions, up to 1,000 vendors", "verification", ("verification",), 1, 0.1
    ),
    Entry(
        "table-6",
        "classification: Credit7/Credit31",
        "ranking",
        (
            "credit7-credit31",
            "reasons-credit7-credit31",
            "credit7-credit31-code",
            "credit7-credit31-wide",
        ),
        3,
        1,
    ),
    Entry("table-7", "classification: MNIST/EMNIST", "ranking", ("mnist-emnist",), 3, 3),
    Entry("table-8", "classification: MNIST/FaMNIST", "ranking", ("mnist-famnist",), 5, 6),
    Entry("table-9", "not Huber: added noise", "ranking", ("noise-mnist", "noise-mnist-code"), 5, 6),
    Entry("table-10", "not Huber: class imbalance", "ranking", ("classes-mnist", "classes-mnist-code"), 5, 6),
    Entry(
        "table-11",
        "not Huber: interpolated imbalance, MNIST and CIFAR10",
        "ranking",
        (
            "interpolated-mnist",
            "interpolated-mnist-code",
            "interpolated-cifar10",
            "interpolated-cifar10-code",
        ),
        6,
        8,
    ),
    Entry(
        "table-12",
        "misreporting, MNIST/EMNIST, n = 5: correlation",
        "incentives",
        ("incentives-mnist-emnist-5",),
        1,
        1,
    ),
    Entry(
        "table-13",
        "misreporting, MNIST/FaMNIST, n = 5: correlation",
        "incentives",
        ("incentives-mnist-famnist-5",),
        1,
        1,
        "The paper's rows count misreporters from 0.",
    ),
    Entry(
        "table-14",
        "misreporting, MNIST/EMNIST, n = 10: correlation",
        "incentives",
        ("incentives-mnist-emnist-10",),
        2,
        4,
        "The paper's rows count misreporters from 0.",
    ),
    Entry(
        "table-15",
        "misreporting, MNIST/FaMNIST, n = 10: correlation",
        "incentives",
        ("incentives-mnist-famnist-10",),
        2,
        4,
    ),
    Entry("table-16", "CUDA memory, CIFAR10", "scaling", note=NO_GPU),
    Entry("table-17", "RAM, CIFAR10", "scaling", ("scaling-cifar10",), 5, 3),
    Entry("table-18", "time, CIFAR10", "scaling", ("scaling-cifar10",), 5, 3),
    Entry("table-19", "CUDA memory, MNIST", "scaling", note=NO_GPU),
    Entry("table-20", "RAM, MNIST", "scaling", ("scaling-mnist",), 3, 2),
    Entry("table-21", "time, MNIST", "scaling", ("scaling-mnist",), 3, 2),
    Entry(
        "table-22",
        "DAVINZ: RAM and time",
        "scaling",
        ("scaling-davinz",),
        3,
        2,
        f"Its CUDA column: {NO_GPU}.",
    ),
    Entry("fig-1", "sample efficiency, MNIST/EMNIST", "efficiency", ("efficiency-mnist-emnist",), 4, 6),
    Entry("fig-2", "sample efficiency, MNIST/FaMNIST", "efficiency", ("efficiency-mnist-famnist",), 6, 12),
    Entry(
        "fig-3",
        "sample efficiency, TON/UGR16",
        "efficiency",
        ("efficiency-ton-ugr16",),
        2,
        2,
        f"{_CLASH} m = 4,000.",
    ),
    Entry(
        "fig-4",
        "sample efficiency, CIFAR10/CIFAR100",
        "efficiency",
        ("efficiency-cifar10-cifar100",),
        4,
        12,
        f"{_CLASH} n = 5.",
    ),
    Entry(
        "fig-5",
        "sample efficiency, Credit7/Credit31",
        "efficiency",
        ("efficiency-credit7-credit31",),
        2,
        3,
        f"{_CLASH} n = 5, m = 5,000.",
    ),
    Entry(
        "fig-6", "value against error level, 100 to 1,000 vendors", "verification", ("verification",), 1, 0.1
    ),
    Entry(
        "fig-7",
        "misreporting, MNIST/EMNIST, n = 5: change in values",
        "incentives",
        ("incentives-mnist-emnist-5",),
        1,
        1,
    ),
    Entry(
        "fig-8",
        "misreporting, MNIST/FaMNIST, n = 10: change in values",
        "incentives",
        ("incentives-mnist-famnist-10",),
        2,
        4,
    ),
    Entry(
        "fig-9",
        "misreporting, MNIST/EMNIST, n = 10: change in values",
        "incentives",
        ("incentives-mnist-emnist-10",),
        2,
        4,
    ),
    Entry(
        "fig-10",
        "misreporting, MNIST/FaMNIST, n = 5: change in values",
        "incentives",
        ("incentives-mnist-famnist-5",),
        1,
        1,
    ),
    Entry(
        "fig-11",
        "time and memory against n and m",
        "scaling",
        ("scaling-mnist", "scaling-cifar10"),
        8,
        5,
        "The paper's curves against m are at n = 30; here they are at n = 10, the tables' first column.",
    ),
)
"""In the paper's order: tables, then figures."""


def entry_named(name: str) -> Entry:
    """The entry of that id.

    >>> entry_named("table-5").experiments
    ('verification',)
    """
    for entry in ENTRIES:
        if entry.id == name:
            return entry
    ids = [entry.id for entry in ENTRIES]
    near = difflib.get_close_matches(name, ids, n=1)
    guess = f"Did you mean {near[0]!r}? " if near else ""
    raise UsageError(
        f"the paper has no {name!r}.", hint=f"{guess}It has table-1 to table-22 and fig-1 to fig-11."
    )
