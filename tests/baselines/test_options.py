"""Options of every valuation: refused where they make no sense, and read from text as they are written."""

from __future__ import annotations

import dataclasses
import math

import pytest

from karat.baselines import VALUATIONS, valuation_class, valuation_named, valuation_read
from karat.baselines.options import allowed
from karat.errors import KernelError, ValuationError

OPTIONS = [
    (name, option, may_be)
    for name in VALUATIONS
    for option, may_be in allowed(valuation_class(name)).items()
    if option != "label_kind"
]
NUMBERS = [(name, option, may_be) for name, option, may_be in OPTIONS if {int, float} & set(may_be.types)]
WORDS = [(name, option, may_be) for name, option, may_be in OPTIONS if may_be.words]


@pytest.mark.parametrize(("name", "option", "may_be"), NUMBERS, ids=lambda one: str(one)[:24])
def test_numbers_out_of_range_are_refused(name, option, may_be):
    kind = valuation_class(name)
    least = kind.least.get(option)
    below = (0 if least is None else least) - (0 if least is None else 1)
    for wrong in (below, math.nan, math.inf, "many"):
        with pytest.raises(ValuationError, match=rf"'{name}' was given {option}=.*Pass .*number"):
            valuation_named(name, **{option: wrong})
    if least is not None:
        number = int(least) if int in may_be.types else least
        assert getattr(valuation_named(name, **{option: number}), option) == least


@pytest.mark.parametrize(("name", "option", "may_be"), WORDS, ids=lambda one: str(one)[:24])
def test_only_the_words_that_there_are_are_taken(name, option, may_be):
    for word in may_be.words:
        assert getattr(valuation_named(name, **{option: word}), option) == word
    with pytest.raises(ValuationError, match=rf"{option}='magic'.*'{may_be.words[0]}'"):
        valuation_named(name, **{option: "magic"})


@pytest.mark.parametrize("name", VALUATIONS)
def test_labels_are_classes_or_numbers(name):
    with pytest.raises(ValuationError, match=r"label_kind='words'.*'classes' or 'numbers' or None"):
        valuation_named(name, label_kind="words")


@pytest.mark.parametrize("name", [name for name, option, _ in OPTIONS if option == "kernel"])
@pytest.mark.parametrize(
    ("kernel", "said"),
    [("foo", "no kernel called 'foo'.*gaussian"), ("gaussian:-1", "-1"), (3.0, "3.0, which is neither")],
)
def test_a_kernel_that_does_not_exist_is_refused_when_it_is_named(name, kernel, said):
    with pytest.raises(KernelError, match=said):
        valuation_named(name, kernel=kernel)


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("lava", "lava", {}),
        (" lava:form=distance:most_rows=500", "lava", {"form": "distance", "most_rows": 500}),
        ("mmd2:tay=true", "mmd2", {"tay": True}),
        ("mmd:kernel=gaussian:1.5", "mmd", {"kernel": "gaussian:1.5"}),
        ("mmd-joint:kernel=gaussian:0.5:label_kind=numbers", "mmd-joint", {"kernel": "gaussian:0.5"}),
        ("davinz:bandwidth=none:ridge=1e-3:model=mlp-16", "davinz", {"ridge": 1e-3, "model": "mlp-16"}),
        ("davinz:bandwidth=2", "davinz", {"bandwidth": 2.0}),
        ("mmd-block:compat=xu2024", "mmd-block", {"compat": "xu2024"}),
    ],
)
def test_a_text_names_a_valuation_and_its_options(text, name, options):
    made = valuation_read(text)
    assert made.name == name
    assert options.items() <= dataclasses.asdict(made).items()
    assert valuation_read(made.title) == made


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lavva:form=distance", r"no valuation called 'lavva'.*Did you mean 'lava'"),
        ("lava:shape=round", r"'lava' has no option 'shape'.*form"),
        ("lava:form=", r"form=''.*'pooled' or 'distance'"),
        ("kl:neighbours=5.5", r"neighbours='5.5'.*whole number from 1 up"),
        ("mmd2:tay=perhaps", r"tay='perhaps'.*true or false"),
        ("davinz:bandwidth=wide", r"bandwidth='wide'.*positive number or None"),
        ("lava:distance", r"no valuation called 'lava:distance'"),
    ],
)
def test_a_text_that_makes_no_sense_says_what_would(text, said):
    with pytest.raises(ValuationError, match=said):
        valuation_read(text)
