"""Models: rows and labels in, predictions out. Linear ones are always there, networks need [torch]."""

from karat.models.base import Fitted, Model
from karat.models.estimator import Estimator
from karat.models.named import MODELS, list_models, model_named
from karat.models.ridge import Ridge, RidgeSums

__all__ = ["MODELS", "Estimator", "Fitted", "Model", "Ridge", "RidgeSums", "list_models", "model_named"]
