from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from karat.baselines import VALUATIONS, list_valuations, valuation_named, value
from karat.baselines.base import Case
from karat.baselines.mmd import Mmd
from karat.baselines.needs import NEEDS
from karat.baselines.reference import reference_rows
from karat.errors import ValuationError
from karat.vendors import Market

VENDORS = {"acme": [[0.0], [1.0], [2.0]], "globex": [[5.0], [6.0], [7.0]]}


@pytest.mark.parametrize("name", VALUATIONS)
def test_every_valuation_says_what_it_is(name):
    facts = {one["name"]: one for one in list_valuations()}[name]
    assert all(facts[key] for key in ("converges_to", "cost", "citation"))
    assert set(facts["needs"]) <= set(NEEDS)
    assert dataclasses.is_dataclass(valuation_named(name))


def test_listing_valuations_loads_nothing_heavy():
    code = (
        "import sys; from karat.baselines import list_valuations; assert len(list_valuations()) > 10; "
        "print([m for m in ('torch', 'ot', 'sklearn', 'scipy.stats', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_is_met_with_the_nearest_one():
    with pytest.raises(ValuationError, match=r"no valuation called 'lavva'.*Did you mean 'lava'"):
        value(VENDORS, "lavva")


def test_an_unknown_option_is_met_with_the_known_ones():
    with pytest.raises(ValuationError, match=r"'kl' has no option 'neighbors'.*neighbours"):
        value(VENDORS, "kl", neighbors=3)


def test_a_valuation_may_be_made_by_hand():
    market = Market.from_arrays(VENDORS, anchor=[[0.0], [2.0]])
    made = value(market, Mmd(kernel="gaussian:1.0"))
    assert made.scores.tolist() == value(market, "mmd", kernel="gaussian:1.0").scores.tolist()
    with pytest.raises(ValuationError, match="options were given beside a valuation that is already made"):
        value(market, Mmd(), kernel="gaussian:1.0")


def test_a_reference_that_rows_cannot_give_is_refused():
    with pytest.raises(ValuationError, match="has no reference called 'robust'"):
        value(VENDORS, "sliced-wasserstein", reference="robust")
    with pytest.raises(ValuationError, match="has no reference called 'weights'"):
        value(VENDORS, "sliced-wasserstein", reference={"acme": 1.0})
    with pytest.raises(ValuationError, match="'anchor' needs rows of the buyer's own"):
        value(VENDORS, "sliced-wasserstein", reference="anchor")


def test_a_value_that_is_not_finite_names_the_vendor():
    market = Market.from_arrays(VENDORS)
    case = Case(market, None, reference_rows(market), None, None, 0, None)
    with pytest.raises(ValuationError, match="gives 'globex' no finite value"):
        case.values(Mmd(), [0.0, np.nan])


def test_a_generator_may_be_the_seed():
    scores = [value(VENDORS, "sliced-wasserstein", seed=np.random.default_rng(s)).scores for s in (0, 0)]
    assert scores[0].tolist() == scores[1].tolist()


def test_progress_is_told_to_the_end():
    told = []
    value(VENDORS, "sliced-wasserstein", progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
