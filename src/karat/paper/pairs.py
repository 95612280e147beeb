"""The pairs of sets that the paper's markets are made of, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PairOfSets:
    """P* and Q, how rows are encoded, and what is learnt from them.

    task: "classes" or "numbers"; own_labels: Q's rows keep their labels, which answer the same question;
    otherwise each drawn row of Q gets a class at random, as in the authors' code.
    model: of the ground truth at quick scale; full_model: the paper's.
    """

    title: str
    clean: str
    foreign: str | None
    encoding: str
    task: str
    own_labels: bool
    model: str
    full_model: str


PAIRS: Mapping[str, PairOfSets] = {
    "mnist-emnist": PairOfSets(
        "MNIST vs. EMNIST", "mnist", "emnist", "pixels", "classes", False, "cnn-22k", "cnn-104k"
    ),
    "mnist-famnist": PairOfSets(
        "MNIST vs. FaMNIST", "mnist", "famnist", "pixels", "classes", False, "cnn-22k", "cnn-104k"
    ),
    "cifar10-cifar100": PairOfSets(
        "CIFAR10 vs. CIFAR100", "cifar10", "cifar100", "patches", "classes", False, "ridge", "ridge"
    ),
    "credit7-credit31": PairOfSets(
        "Credit7 vs. Credit31", "credit7", "credit31", "cards", "classes", True, "logistic", "mlp-16"
    ),
    "ton-ugr16": PairOfSets("TON vs. UGR16", "ton", "ugr16", "flows", "classes", False, "logistic", "mlp-16"),
    "calih-kingh": PairOfSets(
        "CaliH vs. KingH", "calih", "kingh", "as they are", "numbers", True, "ridge", "ridge"
    ),
    "census15-census17": PairOfSets(
        "Census15 vs. Census17", "census15", "census17", "as they are", "numbers", True, "ridge", "ridge"
    ),
    "mnist": PairOfSets("MNIST", "mnist", None, "pixels", "classes", True, "cnn-22k", "cnn-104k"),
    "cifar10": PairOfSets("CIFAR10", "cifar10", None, "patches", "classes", True, "ridge", "ridge"),
}
