"""Which valuations order vendors by the noise in their labels? Measured, and stored as data.

Five vendors hold rows of one distribution; 0, 10, .. 40 % of their labels are drawn anew from all classes. A
valuation orders a market right if its values fall strictly with the noise; values that differ by rounding
alone are ties. Valuations that read no labels
cannot, beyond chance (1 in 120), and are measured all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from karat.baselines import VALUATIONS, valuation_class, valuation_named, value
from karat.baselines.beside import average_ranks, rank_correlations
from karat.baselines.needs import lacking_extras
from karat.typing import Matrix, Progress, Vector
from karat.vendors import Market

NOISE = (0.0, 0.1, 0.2, 0.3, 0.4)

STORED = "label-noise.json"

LABEL_WORDS = frozenset({"labels", "classes", "targets", "every-class"})
"""Needs that say that labels are read."""

VARIANTS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("lava", {"form": "distance"}),
    ("davinz", {"model": "mlp-16"}),
    ("information-gain", {"model": "gp"}),
)
"""Options that are worth a line beside the defaults."""


def gaussian_classes(seed: int, *, rows: int = 300, anchor_rows: int = 200) -> Market:
    """Four classes in ten columns, spread so that a good classifier errs on about one row in ten."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(0.0, 0.8, size=(4, 10))

    def draw(size: int) -> tuple[Matrix, Vector]:
        classes = rng.integers(4, size=size)
        return centres[classes] + rng.normal(size=(size, 10)), classes.astype(np.float64)

    return noisy_market([draw(rows) for _ in NOISE], draw(anchor_rows), rng)


def digits(seed: int, *, rows: int = 250, anchor_rows: int = 300) -> Market:
    """Handwritten digits of 8 x 8 pixels (UCI, as scikit-learn brings them); no row is at two vendors."""
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(seed)
    pixels, classes = load_digits(return_X_y=True)
    order = rng.permutation(len(pixels))
    cuts = np.split(order[: rows * len(NOISE) + anchor_rows], [rows * (i + 1) for i in range(len(NOISE))])
    parts = [(pixels[cut] / 16.0, classes[cut].astype(np.float64)) for cut in cuts]
    return noisy_market(parts[:-1], parts[-1], rng)


MARKETS: Mapping[str, Callable[[int], Market]] = {"gaussian-classes": gaussian_classes, "digits": digits}


def noisy_market(
    parts: Sequence[tuple[Matrix, Vector]], own: tuple[Matrix, Vector], rng: np.random.Generator
) -> Market:
    """Vendors whose labels are drawn anew, with the shares of `NOISE`, from all classes; a clean anchor."""
    classes = np.unique(np.concatenate([labels for _, labels in parts]))
    labels = {}
    for noise, (_, clean) in zip(NOISE, parts, strict=True):
        drawn_anew = rng.random(len(clean)) < noise
        labels[f"{noise:.0%}"] = np.where(drawn_anew, rng.choice(classes, size=len(clean)), clean)
    return Market.from_arrays(
        {name: rows for name, (rows, _) in zip(labels, parts, strict=True)},
        labels=labels,
        anchor=own[0],
        anchor_labels=own[1],
    )


def label_noise_study(
    *,
    seeds: Sequence[int] = tuple(range(10)),
    markets: Sequence[str] = tuple(MARKETS),
    references: Sequence[str] = ("anchor", "uniform"),
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """How well every valuation that can run here orders the vendors, by market and reference.

    Per line: Spearman's correlation of values with minus the noise, its mean and least over the seeds, and
    the share of seeds in which the order is right. A fresh market is drawn for every seed.
    """
    asked = [*((name, {}) for name in VALUATIONS), *VARIANTS]
    chosen = [
        (name, options)
        for name, options in asked
        if (names is None or name in names) and not lacking_extras(valuation_named(name, **options).required)
    ]
    lines = []
    for i, market in enumerate(markets):
        drawn = [MARKETS[market](seed) for seed in seeds]
        for j, reference in enumerate(references):
            for k, (name, options) in enumerate(chosen):
                lines.append(_line(market, drawn, reference, name, options, seeds))
                if progress is not None:
                    done = (i * len(references) + j) * len(chosen) + k + 1
                    progress(done, len(markets) * len(references) * len(chosen))
    return {"noise": list(NOISE), "seeds": list(seeds), "lines": lines}


def _line(
    market: str,
    drawn: Sequence[Market],
    reference: str,
    name: str,
    options: Mapping[str, Any],
    seeds: Sequence[int],
) -> dict[str, Any]:
    pairs = zip(drawn, seeds, strict=True)
    scores = [value(one, name, reference=reference, seed=seed, **options).scores for one, seed in pairs]
    correlations = [rank_correlation(one, -np.array(NOISE)) for one in scores]
    right = [average_ranks(one).tolist() == sorted(range(1, len(NOISE) + 1), reverse=True) for one in scores]
    kind = valuation_class(name)
    return {
        "market": market,
        "reference": reference,
        "valuation": name,
        "options": dict(options),
        "reads_labels": bool(LABEL_WORDS & set(kind(**options).required)),
        "spearman_mean": float(np.mean(correlations)),
        "spearman_least": float(np.min(correlations)),
        "ordered_right": float(np.mean(right)),
    }


def rank_correlation(first: Vector, second: Vector) -> float:
    """Spearman's correlation, ties sharing their mean rank; 0 where all are tied.

    >>> rank_correlation(np.array([1.0, 2.0, 4.0]), np.array([10.0, 20.0, 30.0]))
    1.0
    """
    return float(np.nan_to_num(rank_correlations([first, second])[0, 1]))


def as_markdown(study: Mapping[str, Any]) -> str:
    """The study as a table: the mean correlation and, in brackets, in how many seeds the order was right."""
    cells: dict[tuple[str, bool], dict[tuple[str, str], str]] = {}
    for line in study["lines"]:
        right = round(line["ordered_right"] * len(study["seeds"]))
        title = valuation_named(line["valuation"], **line["options"]).title
        row = cells.setdefault((f"`{title}`", line["reads_labels"]), {})
        row[line["market"], line["reference"]] = f"{line['spearman_mean']:.2f} ({right})"
    columns = list(dict.fromkeys((line["market"], line["reference"]) for line in study["lines"]))
    head = ["valuation", "reads labels", *(f"{market}, {reference}" for market, reference in columns)]
    rows = [
        [name, "yes" if reads else "no", *(row[column] for column in columns)]
        for (name, reads), row in sorted(cells.items(), key=lambda pair: not pair[0][1])
    ]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def stored_label_noise() -> dict[str, Any]:
    """The study as it was run last, with ten seeds."""
    text = files("karat.bench").joinpath("results", STORED).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def store_label_noise(study: Mapping[str, Any], folder: Path) -> Path:
    """Write a study where `stored_label_noise` finds it, if the folder is src/karat/bench/results."""
    path = folder / STORED
    path.write_text(json.dumps(study, indent=1) + "\n", encoding="utf-8")
    return path
