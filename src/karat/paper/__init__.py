"""The paper's tables and figures: settings as data, stored runs, and ours beside the printed."""

from karat.paper.entries import ENTRIES, Entry, entry_named
from karat.paper.runner import run_experiment
from karat.paper.settings import experiment_named

__all__ = ["ENTRIES", "Entry", "entry_named", "experiment_named", "run_experiment"]
