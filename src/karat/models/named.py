"""Models by name; nothing is imported until one is asked for."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.util
from collections.abc import Mapping
from typing import Any

from karat.errors import MissingExtraError, ValuationError
from karat.models.base import Model
from karat.models.estimator import Estimator, borrowed

MODELS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "ridge": ("karat.models.ridge:Ridge", {}),
    "logistic": ("karat.models.logistic:Logistic", {}),
    "patches": ("karat.models.patches:PatchProbe", {}),
    "mlp-16": ("karat.models.networks:Mlp", {}),
    "cnn-22k": ("karat.models.networks:Cnn", {"size": "22k"}),
    "cnn-104k": ("karat.models.networks:Cnn", {"size": "104k"}),
    "cnn-1.2m": ("karat.models.networks:Cnn", {"size": "1.2m"}),
    "resnet-18": ("karat.models.networks:ResNet18", {}),
}
"""name -> (where it lives, the options that the name stands for)."""


def model_named(name: str | Model | Estimator, **options: Any) -> Model:
    """The model by name, with its options; a model that is already made is returned as it is.

    An estimator of scikit-learn becomes a model that trains clones of it.

    >>> model_named("ridge", strength=2.0)
    Ridge(strength=2.0)
    """
    if isinstance(name, Model):
        return name
    if not isinstance(name, str):
        return borrowed(name)
    if name not in MODELS:
        near = difflib.get_close_matches(name, MODELS, n=1)
        guess = f"Did you mean {near[0]!r}? " if near else ""
        raise ValuationError(
            f"there is no model called {name!r}.", hint=f"{guess}Choose from {', '.join(MODELS)}."
        )
    kind, preset = _kind(name)
    known = [field.name for field in dataclasses.fields(kind) if field.name not in preset]
    for option in options:
        if option not in known:
            raise ValuationError(
                f"the model {name!r} has no option {option!r}.", hint=f"It takes {', '.join(known)}."
            )
    if kind.extra is not None and importlib.util.find_spec(kind.extra) is None:
        raise MissingExtraError(
            f"the model {name!r} needs {kind.extra}, which is not installed.",
            hint=f"Install it with: pip install 'karat[{kind.extra}]', or choose 'logistic' or 'ridge'.",
        )
    return kind(**preset, **options)


def extras_of(model: str | Model | Estimator | None) -> tuple[str, ...]:
    """The extras that a model needs, whether it is named or made; none where the name is unknown.

    >>> extras_of("mlp-16"), extras_of("ridge")
    (('torch',), ())
    """
    kind = _kind(model)[0] if isinstance(model, str) and model in MODELS else model
    extra = getattr(kind, "extra", None) if kind is not None else None
    return () if extra is None else (extra,)


def list_models() -> tuple[dict[str, object], ...]:
    """Name, meaning, what it learns and the extra it needs, for every model."""
    rows: list[dict[str, object]] = []
    for name in MODELS:
        kind, _ = _kind(name)
        rows.append({"name": name, "meaning": kind.meaning, "learns": list(kind.learns), "extra": kind.extra})
    return tuple(rows)


def _kind(name: str) -> tuple[type[Model], dict[str, Any]]:
    where, preset = MODELS[name]
    module, _, attribute = where.partition(":")
    kind: type[Model] = getattr(importlib.import_module(module), attribute)
    return kind, preset
