from __future__ import annotations

import pytest

from karat.errors import UsageError
from karat.paper.entries import ENTRIES, NO_GPU, entry_named
from karat.paper.listing import listing, shown
from karat.paper.printed import INCENTIVES, RANKING, VERIFICATION
from karat.paper.printed_scaling import CIFAR_RAM, DAVINZ, MNIST_TIME
from karat.paper.settings import EXPERIMENTS, FULL, RANKINGS, experiment_named


def test_every_table_and_figure_of_the_paper_is_listed_once():
    expected = [f"table-{i}" for i in range(1, 23)] + [f"fig-{i}" for i in range(1, 12)]
    assert [entry.id for entry in ENTRIES] == expected


def test_every_experiment_belongs_to_an_entry_and_exists_at_both_scales():
    named = {name for entry in ENTRIES for name in entry.experiments}
    assert named == set(EXPERIMENTS)
    for name in EXPERIMENTS:
        quick, full = experiment_named(name), experiment_named(name, FULL)
        assert quick.family == full.family
        assert quick.cells()


def test_cuda_columns_say_that_there_was_no_gpu():
    by_id = {one["id"]: one for one in listing()}
    for name in ("table-16", "table-19"):
        assert by_id[name]["stored"] == NO_GPU
        assert by_id[name]["command"] is None
        assert NO_GPU in shown(name)
    assert "10,000  145.9" in shown("table-16")
    assert "50,000  138.8" in shown("table-19")


def test_an_unknown_id_is_refused_with_a_guess():
    with pytest.raises(UsageError, match=r"no 'table-23'.*Did you mean 'table-"):
        entry_named("table-23")
    with pytest.raises(UsageError, match="no scale 'tiny'"):
        experiment_named("verification", "tiny")
    with pytest.raises(UsageError, match="0 trials"):
        experiment_named("verification", trials=0)


def test_every_market_has_printed_numbers_beside_it():
    own = {name.removesuffix("-code").removesuffix("-wide") for name in RANKINGS}
    assert own == set(RANKING)
    assert {len(rows) for rows in INCENTIVES.values()} == {5, 10}
    assert list(VERIFICATION) == [5, 10, 20, 100, 200, 500, 1000]


def test_printed_numbers_are_those_of_the_paper():
    assert RANKING["mnist-emnist"]["Ours"] == ((0.950, 0.01), (0.984, 0.01))
    assert RANKING["calih-kingh"]["Ours cond."] == ((0.812, 0.02), None)
    assert (CIFAR_RAM[50_000][4], MNIST_TIME[10_000][0], DAVINZ[3_000][2]) == (37299.41, 24.26, 50.419)


def test_printed_numbers_add_up_as_those_of_the_paper():
    """Sums over the tables of its LaTeX source, each number once."""
    ranking = [one[0] for rows in RANKING.values() for pair in rows.values() for one in pair if one]
    incentives = [one[0] for rows in INCENTIVES.values() for pair in rows for one in pair]
    assert (len(ranking), len(incentives)) == (125, 60)
    assert sum(ranking) == pytest.approx(44.043, abs=1e-9)
    assert sum(incentives) == pytest.approx(54.998, abs=1e-9)
    assert sum(mean for mean, _ in VERIFICATION.values()) == pytest.approx(5.821953, abs=1e-9)


def test_the_table_of_settings_names_both_schedules_where_the_code_differs():
    text = shown("table-4")
    assert "e_i = (i - 1) / (4 n)" in text
    assert "e_i = 4 (i - 1) / n in the authors' code" in text
    assert "e_i = (i - 1) / (10 n)" in text
