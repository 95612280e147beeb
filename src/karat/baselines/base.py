"""What a valuation is: a market in, one number per vendor out, larger is better.

A valuation is a frozen dataclass: its options are its fields, its facts (what it needs, what it converges to,
what it costs, who proposed it) are class variables. To add one, write `run` in a file of its own and name it
in `VALUATIONS`; the laws in tests/laws run over everything named there.

Modules named there import numpy and karat at the top and nothing heavier: scikit-learn, POT and torch are
imported where they are used, so that listing the valuations is instant.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.baselines.labels import LabelKind, Labels, read_labels
from karat.baselines.needs import check_needs, labels_of, lacking_extras
from karat.baselines.options import SEPARATOR, check_options, read_options
from karat.baselines.reference import ReferenceRows, check_contrasts, generator, reference_rows
from karat.errors import ValuationError
from karat.gram import Moments, kernel_sums, moments_from_sums
from karat.kernels import Kernel, kernel_named
from karat.typing import Matrix, Progress, Seed, Vector
from karat.values import Values
from karat.vendors import Market, Source

VALUATIONS: Mapping[str, str] = {
    "mmd": "karat.baselines.mmd:Mmd",
    "mmd2": "karat.baselines.mmd:SquaredMmd",
    "energy": "karat.baselines.mmd:EnergyDistance",
    "mmd-block": "karat.baselines.mmd:BlockMmd",
    "lava": "karat.baselines.lava:Lava",
    "wasserstein": "karat.baselines.distances:Wasserstein",
    "sinkhorn": "karat.baselines.distances:Sinkhorn",
    "sliced-wasserstein": "karat.baselines.distances:SlicedWasserstein",
    "kl": "karat.baselines.divergences:KullbackLeibler",
    "classifier-two-sample": "karat.baselines.classifier:ClassifierTwoSample",
    "volume": "karat.baselines.volume:Volume",
    "information-gain": "karat.baselines.information:InformationGain",
    "data-shapley": "karat.baselines.games:DataShapley",
    "beta-shapley": "karat.baselines.games:BetaShapley",
    "banzhaf": "karat.baselines.games:Banzhaf",
    "leave-one-out": "karat.baselines.games:LeaveOneOut",
    "coalition-mmd": "karat.baselines.games:CoalitionMmd",
    "knn-shapley": "karat.baselines.knn:KnnShapley",
    "cs-shapley": "karat.baselines.classwise:ClasswiseShapley",
    "davinz": "karat.baselines.davinz:Davinz",
    "mmd-cond": "karat.baselines.conditional:ConditionalMmd",
    "mmd-joint": "karat.baselines.joint:JointMmd",
}
"""name -> where it lives, "module:class". Nothing is imported until a name is asked for."""


@dataclass(frozen=True, eq=False)
class Case:
    """What one run of a valuation is asked: the market, what to compare with, and how to draw.

    choice: the reference as asked for, None for the default; reference: its rows.
    moments: as given by the caller, else None.
    labels: the vendors' labels and, where the anchor is the reference, the anchor's last; None where the
        valuation needs none.
    """

    market: Market
    choice: str | Mapping[str, float] | None
    reference: ReferenceRows
    moments: Moments | None
    labels: Labels | None
    seed: int
    progress: Progress | None

    @property
    def reference_labels(self) -> NDArray[Any]:
        """Codes or numbers of the reference's rows, in their order."""
        assert self.labels is not None
        if self.reference.name == "anchor":
            return self.labels.arrays[-1]
        return np.concatenate(self.labels.arrays)

    def generator(self, sample: Source) -> np.random.Generator:
        """Random numbers for one vendor: they follow its rows, not its name or its place."""
        return generator(self.seed, sample)

    def tell(self, done: float, total: float) -> None:
        """Pass progress on to whoever listens."""
        if self.progress is not None:
            self.progress(done, total)

    def values(self, valuation: Valuation, scores: Any, **details: object) -> Values:
        """The result: finite scores in the order of the vendors, and what is worth knowing about them."""
        vector: Vector = np.asarray(scores, dtype=np.float64)
        assert vector.shape == (len(self.market.samples),)
        if not np.isfinite(vector).all():
            worst = self.market.names[int(np.argmin(np.isfinite(vector)))]
            raise ValuationError(
                f"the valuation {valuation.name!r} gives {worst!r} no finite value.",
                hint="Scale the columns (scaling='reference') or leave out columns with extreme numbers.",
                vendor=worst,
            )
        return Values(valuation.name, self.market.names, vector, details | self._absent_classes())

    def _absent_classes(self) -> dict[str, object]:
        """Who has no row of some class, and which: some valuations reward or punish that."""
        if self.labels is None:
            return {}
        absent = {name: self.labels.absent(i) for i, name in enumerate(self.market.names)}
        absent = {name: classes for name, classes in absent.items() if classes}
        return {"absent_classes": absent} if absent else {}


@dataclass(frozen=True, kw_only=True)
class Valuation(ABC):
    """One number per vendor from a market; larger is better.

    name: how it is asked for; needs: words of `karat.baselines.needs.NEEDS`.
    converges_to: what the number estimates as previews grow; cost: in rows m, columns d, vendors n;
    citation: who proposed it.

    takes_any_reference: whether it works from contrasts, and so takes every reference of `karat.values`.

    least: what number options are at least, where it is not 1 for whole numbers and more than 0 for others.

    label_kind: how to read labels, "classes" or "numbers"; None guesses (whole numbers that repeat and text
    are classes).
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    converges_to: ClassVar[str]
    cost: ClassVar[str]
    citation: ClassVar[str]
    takes_any_reference: ClassVar[bool] = False
    least: ClassVar[Mapping[str, float]] = {}

    label_kind: LabelKind | None = None

    def __post_init__(self) -> None:
        check_options(self, self.least)

    def __call__(
        self,
        market: Market,
        *,
        moments: Moments | None = None,
        reference: str | Mapping[str, float] | None = None,
        seed: Seed = 0,
        progress: Progress | None = None,
    ) -> Values:
        """Check what is needed, then value.

        moments: of this market under the valuation's kernel, where they have been computed already; they are
        taken at their word, for they do not say which kernel they are of.
        reference: "anchor" or "uniform"; where `takes_any_reference`, all references of `karat.values` and
        weights too. By default the anchor where there is one, else all vendors in equal shares.
        The seed alone decides every draw, whatever the order and the names of the vendors.
        """
        rows = self.check(market, reference)
        case = Case(market, reference, rows, moments, self._labels(market, rows), _number(seed), progress)
        return self.run(case)

    def check(self, market: Market, reference: str | Mapping[str, float] | None = None) -> ReferenceRows:
        """Raise unless the market and this machine have what is needed; else the rows to compare with."""
        if self.takes_any_reference:
            check_contrasts(self.title, reference, shared=self.shares_reference)
        rows = reference_rows(market, None if self.takes_any_reference else reference)
        check_needs(self.name, self.required, market, rows, self.label_kind)
        return rows

    @property
    def chosen(self) -> dict[str, object]:
        """The options that are not at their defaults."""
        options = {
            field.name: (getattr(self, field.name), field.default) for field in dataclasses.fields(self)
        }
        return {name: given for name, (given, default) in options.items() if given != default}

    @property
    def names_kernel(self) -> bool:
        """Whether it was asked for a kernel of its own, so that moments under another are not its moments."""
        return "kernel" in self.chosen

    @property
    def title(self) -> str:
        """The name, and what is not default, in the form that `valuation_read` takes.

        >>> valuation_named("lava", form="distance").title
        'lava:form=distance'
        """
        return ":".join([self.name, *(f"{name}={_spelt(given)}" for name, given in self.chosen.items())])

    @property
    def shares_reference(self) -> bool:
        """Whether all vendors need one and the same reference, where any can be had."""
        return False

    @property
    def required(self) -> tuple[str, ...]:
        """What it needs with the options that it has; by default `needs`."""
        return self.needs

    @abstractmethod
    def run(self, case: Case) -> Values:
        """The values; what `needs` says has been checked."""

    def _labels(self, market: Market, reference: ReferenceRows) -> Labels | None:
        if not {"labels", "classes", "targets", "every-class"} & set(self.required):
            return None
        sources = market.sources if reference.name == "anchor" else market.samples
        kind: LabelKind | None = "numbers" if "targets" in self.required else self.label_kind
        return read_labels([labels_of(source) for source in sources], kind)

    @classmethod
    def facts(cls) -> dict[str, object]:
        """What a list of valuations says about this one; `lacks` names extras that are not installed."""
        return {
            "name": cls.name,
            "needs": list(cls.needs),
            "converges_to": cls.converges_to,
            "cost": cls.cost,
            "citation": cls.citation,
            "options": {field.name: _spelt(field.default) for field in dataclasses.fields(cls)},
            "lacks": list(lacking_extras(cls.needs)),
        }


def valuation_class(name: str) -> type[Valuation]:
    """The class of a valuation by name."""
    if name not in VALUATIONS:
        near = difflib.get_close_matches(name, VALUATIONS, n=1)
        guess = f"Did you mean {near[0]!r}? " if near else ""
        raise ValuationError(
            f"there is no valuation called {name!r}.", hint=f"{guess}Choose from {', '.join(VALUATIONS)}."
        )
    module, _, attribute = VALUATIONS[name].partition(":")
    found: type[Valuation] = getattr(importlib.import_module(module), attribute)
    return found


def valuation_named(name: str, **options: Any) -> Valuation:
    """The valuation by name, with its options."""
    kind = valuation_class(name)
    known = [field.name for field in dataclasses.fields(kind)]
    for option in options:
        if option not in known:
            raise ValuationError(
                f"the valuation {name!r} has no option {option!r}.", hint=f"It takes {', '.join(known)}."
            )
    return kind(**options)


def valuation_read(text: str) -> Valuation:
    """The valuation in a text: its name, then any options, each after a colon.

    >>> valuation_read("lava:form=distance:most_rows=500").title
    'lava:form=distance:most_rows=500'
    """
    name, *options = SEPARATOR.split(text.strip())
    return valuation_named(name, **read_options(valuation_class(name), options))


def value(
    market: Market | Mapping[str, Any],
    valuation: str | Valuation = "mmd",
    *,
    moments: Moments | None = None,
    reference: str | Mapping[str, float] | None = None,
    seed: Seed = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Values:
    """The vendors' values by a valuation, named (then with its options) or made by hand.

    market: a Market, or a mapping of names to rows.

    >>> rows = {"acme": [[0.0], [1.0], [2.0]], "globex": [[5.0], [6.0], [7.0]]}
    >>> market = Market.from_arrays(rows, anchor=[[0.5], [1.5]])
    >>> value(market, "mmd").scores.argmax()
    np.int64(0)
    """
    if isinstance(valuation, str):
        valuation = valuation_named(valuation, **options)
    elif options:
        raise ValuationError(
            f"options were given beside a valuation that is already made: {', '.join(options)}.",
            hint="Give them where it is made, or name the valuation instead.",
        )
    run = valuation(Market.read(market), moments=moments, reference=reference, seed=seed, progress=progress)
    return run


def list_valuations() -> tuple[dict[str, object], ...]:
    """The facts of every valuation, in the order of the table."""
    return tuple(valuation_class(name).facts() for name in VALUATIONS)


def kernel_for(market: Market, kernel: str | Kernel) -> Kernel:
    """A kernel by name, with bandwidths from the reference's rows: the anchor's, else all vendors' alike."""
    if not isinstance(kernel, str):
        return kernel
    return kernel_named(kernel, market.reference_rows)


def moments_of(
    market: Market, kernel: str | Kernel = "default", *, progress: Progress | None = None
) -> Moments:
    """The exact moments of a market; see `kernel_for`."""
    kernel, sources = kernel_for(market, kernel), market.sources
    sums = kernel_sums([source.rows for source in sources], kernel, centre=market.centre, progress=progress)
    names = [source.name for source in sources]
    anchor = None if market.anchor is None else len(sources) - 1
    return moments_from_sums(sums, names=names, kernel=kernel, anchor=anchor)


def rows_of(sample: Source) -> Matrix:
    """A sample's rows in float64; no copy where they are so already."""
    return np.asarray(sample.rows, dtype=np.float64)


def _spelt(option: object) -> str:
    """An option as `valuation_read` reads it: Python's own words in small letters."""
    return str(option).lower() if option is None or isinstance(option, bool) else str(option)


def _number(seed: Seed) -> int:
    if not isinstance(seed, int):
        return int(seed.integers(2**63))
    if seed < 0:
        raise ValuationError(f"the seed is {seed}.", hint="Pass a whole number from 0 up.")
    return seed
