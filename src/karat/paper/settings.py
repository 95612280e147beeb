"""What was run, as data: every experiment at quick scale, and at the paper's full scale.

Quick: fewer rows and trials, the small network, CIFAR through frozen patch features. Full: the paper's rows
and trials. Both were fixed before any ground truth was looked at.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from karat.errors import UsageError
from karat.paper.base import Experiment
from karat.paper.divergences import Divergences
from karat.paper.efficiency import Efficiency
from karat.paper.incentives import Incentives
from karat.paper.pairs import PAIRS
from karat.paper.ranking import Ranking
from karat.paper.reasons import PREFIX, Reasons
from karat.paper.scaling import Scaling, Sizes
from karat.paper.verification import Verification

QUICK, FULL = "quick", "full"
SCALES = (QUICK, FULL)


@dataclass(frozen=True)
class Market:
    """A ranking market of the paper: which vendors, and the paper's m."""

    pair: str
    kind: str
    schedule: str
    n_vendors: int
    rows: int


RANKINGS: Mapping[str, Market] = {
    "mnist-emnist": Market("mnist-emnist", "huber", "(i-1)/n", 5, 10_000),
    "mnist-famnist": Market("mnist-famnist", "huber", "(i-1)/n", 10, 10_000),
    "cifar10-cifar100": Market("cifar10-cifar100", "huber", "(i-1)/n", 5, 10_000),
    "credit7-credit31": Market("credit7-credit31", "huber", "(i-1)/(4n)", 5, 5000),
    "credit7-credit31-code": Market("credit7-credit31", "huber", "4(i-1)/n", 5, 5000),
    "credit7-credit31-wide": Market("credit7-credit31", "huber", "(i-1)/n", 5, 5000),
    "ton-ugr16": Market("ton-ugr16", "huber", "(i-1)/(4n)", 5, 4000),
    "ton-ugr16-code": Market("ton-ugr16", "huber", "4(i-1)/n", 5, 4000),
    "ton-ugr16-wide": Market("ton-ugr16", "huber", "(i-1)/n", 5, 4000),
    "calih-kingh": Market("calih-kingh", "huber", "(i-1)/n", 10, 2000),
    "calih-kingh-code": Market("calih-kingh", "huber", "(i-1)/(10n)", 10, 2000),
    "census15-census17": Market("census15-census17", "huber", "(i-1)/n", 5, 4000),
    "census15-census17-code": Market("census15-census17", "huber", "(i-1)/(10n)", 5, 4000),
    "noise-mnist": Market("mnist", "noise", "variance 0.02(i-1)", 10, 5000),
    "noise-mnist-code": Market("mnist", "noise", "deviation (i-1)/n", 10, 5000),
    "classes-mnist": Market("mnist", "classes", "1, 2, .., n", 10, 5000),
    "classes-mnist-code": Market("mnist", "classes", "2, 2, 3, .., 10", 10, 5000),
    "interpolated-mnist": Market("mnist", "interpolated", "2i+1", 5, 5000),
    "interpolated-mnist-code": Market("mnist", "interpolated", "2i", 5, 5000),
    "interpolated-cifar10": Market("cifar10", "interpolated", "2i+1", 5, 10_000),
    "interpolated-cifar10-code": Market("cifar10", "interpolated", "2i", 5, 10_000),
}
"""Ends in "-code": the authors' schedule, where their code differs. "-wide": ours, up to (n-1)/n."""


def market_of(name: str) -> str:
    """The market of the paper that an experiment is a variant of.

    >>> market_of("ton-ugr16-wide")
    'ton-ugr16'
    """
    return name.removesuffix("-code").removesuffix("-wide")


EFFICIENCIES: Mapping[str, tuple[str, str, int]] = {
    "efficiency-mnist-emnist": ("mnist-emnist", "(i-1)/n", 5),
    "efficiency-mnist-famnist": ("mnist-famnist", "(i-1)/n", 10),
    "efficiency-ton-ugr16": ("ton-ugr16", "(i-1)/(4n)", 5),
    "efficiency-cifar10-cifar100": ("cifar10-cifar100", "(i-1)/n", 10),
    "efficiency-credit7-credit31": ("credit7-credit31", "(i-1)/(4n)", 10),
}
"""Pair, schedule and n: the captions' n, where the settings table has another."""

INCENTIVES: Mapping[str, tuple[str, int]] = {
    "incentives-mnist-emnist-5": ("mnist-emnist", 5),
    "incentives-mnist-famnist-10": ("mnist-famnist", 10),
    "incentives-mnist-emnist-10": ("mnist-emnist", 10),
    "incentives-mnist-famnist-5": ("mnist-famnist", 5),
}


def _ranking(name: str, scale: str) -> Experiment:
    market = RANKINGS[name]
    sets = PAIRS[market.pair]
    is_quick = scale == QUICK
    return Ranking(
        name=name,
        scale=scale,
        trials=3 if is_quick else 5,
        draws=3 if sets.encoding in ("pixels", "patches") else 20,
        pair=market.pair,
        kind=market.kind,
        schedule=market.schedule,
        n_vendors=market.n_vendors,
        rows=1000 if is_quick else market.rows,
        model=sets.model if is_quick else sets.full_model,
        capped_rows=500 if is_quick else 2000,
        most=30_000 if is_quick else None,
    )


REASONS = ("cifar10-cifar100", "ton-ugr16", "calih-kingh-code", "credit7-credit31")
"""Markets that missed what they must reach at quick scale, and are explained."""


def _reasons(name: str, scale: str) -> Experiment:
    ranking = _ranking(name.removeprefix(PREFIX), scale)
    assert isinstance(ranking, Ranking)
    rows = tuple(dict.fromkeys([RANKINGS[ranking.name].rows, 10_000]))
    return Reasons(name=name, scale=scale, trials=ranking.trials, ranking=ranking, rows=rows)


def _efficiency(name: str, scale: str) -> Experiment:
    pair, schedule, n = EFFICIENCIES[name]
    is_quick = scale == QUICK
    return Efficiency(
        name=name,
        scale=scale,
        trials=3 if is_quick else 5,
        pair=pair,
        schedule=schedule,
        n_vendors=n,
        large=2000 if is_quick else 10_000,
        sizes=(40, 100, 200, 500, 1000) if is_quick else (100, 500, 1000, 2000, 4000, 6000, 8000),
        validation_rows=500 if is_quick else 2000,
        most=30_000 if is_quick else None,
    )


def _incentives(name: str, scale: str) -> Experiment:
    pair, n = INCENTIVES[name]
    is_quick = scale == QUICK
    return Incentives(
        name=name,
        scale=scale,
        trials=3 if is_quick else 5,
        pair=pair,
        n_vendors=n,
        rows=1000 if is_quick else 10_000,
        most=30_000 if is_quick else None,
    )


def _verification(name: str, scale: str) -> Experiment:
    return Verification(name=name, scale=scale, trials=10, sizes=(5, 10, 20, 100, 200, 500, 1000))


def _divergences(name: str, scale: str) -> Experiment:
    is_quick = scale == QUICK
    return Divergences(
        name=name,
        scale=scale,
        trials=10 if is_quick else 50,
        columns=(2, 10, 50),
        sizes=(50, 100, 200, 400, 800) if is_quick else (50, 100, 200, 400, 800, 1600, 3200),
        cost_sizes=(250, 500, 1000, 2000) if is_quick else (500, 1000, 2000, 4000, 8000),
        large_sizes=(4000, 8000, 16_000) if is_quick else (16_000, 32_000, 64_000),
    )


SCALINGS: Mapping[str, Mapping[str, Mapping[str, Sizes]]] = {
    "mnist": {
        QUICK: {
            "landmarks": Sizes((3000, 5000, 10_000, 20_000, 50_000), (10, 20, 30, 40, 50)),
            "adaptive": Sizes((10_000,)),
            "exact": Sizes((1000, 2000, 3000, 5000, 10_000), (10, 20, 30), at_rows=1000),
            "block": Sizes((1000, 3000, 5000, 10_000), (10, 20, 30), at_rows=1000),
        },
        FULL: {
            "landmarks": Sizes((3000, 5000, 10_000, 20_000, 50_000), (10, 20, 30, 40, 50), is_whole=True),
            "adaptive": Sizes((3000, 5000, 10_000, 20_000, 50_000), (10, 20, 30, 40, 50)),
            "exact": Sizes((1000, 2000, 3000, 5000, 10_000), (10, 20, 30, 40, 50), at_rows=1000),
            "block": Sizes((3000, 5000, 10_000, 20_000, 50_000), (10, 20, 30, 40, 50), is_whole=True),
        },
    },
    "cifar10": {
        QUICK: {
            "landmarks": Sizes((3000, 5000, 10_000, 20_000), (10, 20, 30)),
            "exact": Sizes((1000, 2000, 3000, 5000), (10, 20, 30), at_rows=1000),
            "block": Sizes((1000, 3000, 5000), (10, 20, 30), at_rows=1000),
        },
        FULL: {
            "landmarks": Sizes((3000, 5000, 10_000, 20_000, 50_000), (10, 20, 30, 40, 50), is_whole=True),
            "exact": Sizes((1000, 2000, 3000, 5000), (10, 20, 30), at_rows=1000),
            "block": Sizes((3000, 5000, 10_000, 20_000, 50_000), (10, 20, 30, 40, 50), is_whole=True),
        },
    },
    "davinz": {
        QUICK: {"davinz": Sizes((250, 500, 1000, 2000))},
        FULL: {"davinz": Sizes((3000, 5000, 10_000, 20_000, 50_000))},
    },
}
"""data -> scale -> engine -> sizes; landmarks get the paper's: its m at ten vendors, its n at m = 10,000."""


def _scaling(name: str, scale: str) -> Experiment:
    data = name.removeprefix("scaling-")
    return Scaling(name=name, scale=scale, trials=1, data=data, engines=SCALINGS[data][scale])


_MAKERS = {
    **dict.fromkeys(RANKINGS, _ranking),
    **dict.fromkeys((PREFIX + name for name in REASONS), _reasons),
    **dict.fromkeys(EFFICIENCIES, _efficiency),
    **dict.fromkeys(INCENTIVES, _incentives),
    "verification": _verification,
    "divergences": _divergences,
    "scaling-mnist": _scaling,
    "scaling-cifar10": _scaling,
    "scaling-davinz": _scaling,
}

EXPERIMENTS = tuple(_MAKERS)
"""Every experiment's name."""


def experiment_named(name: str, scale: str = QUICK, *, trials: int | None = None) -> Experiment:
    """An experiment by name, at a scale, with another number of trials if one is given.

    >>> experiment_named("verification").trials
    10
    """
    if name not in _MAKERS:
        near = difflib.get_close_matches(name, EXPERIMENTS, n=1)
        guess = f"Did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"there is no experiment {name!r}.", hint=f"{guess}`karat paper list` names all.")
    if scale not in SCALES:
        raise UsageError(f"there is no scale {scale!r}.", hint="Choose quick or full.")
    made = _MAKERS[name](name, scale)
    if trials is None:
        return made
    if trials < 1:
        raise UsageError(f"{trials} trials were asked for.", hint="Ask for at least one.")
    return replace(made, trials=trials)
