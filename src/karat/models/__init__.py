"""Models: rows and labels in, predictions out. Linear ones are always there, networks need [torch]."""

from karat.models.base import Fitted, Model
from karat.models.estimator import Estimator
from karat.models.named import MODELS, extras_of, list_models, model_named
from karat.models.ridge import Ridge, RidgeSums

__all__ = [
    "MODELS",
    "Estimator",
    "Fitted",
    "Model",
    "Ridge",
    "RidgeSums",
    "extras_of",
    "list_models",
    "model_named",
]
