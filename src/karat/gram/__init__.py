"""From rows and a kernel to moments: exactly, from landmarks, or as the paper's authors do."""

from karat.gram.block import BlockValues, block_squared_mmd, block_values
from karat.gram.choose import Choice, choose_method
from karat.gram.exact import kernel_sums
from karat.gram.landmarks import Approximated, landmark_moments
from karat.gram.moments import Moments, moments_from_sums
from karat.gram.stream import RowStream
from karat.gram.sums import KernelSums

__all__ = [
    "Approximated",
    "BlockValues",
    "Choice",
    "KernelSums",
    "Moments",
    "RowStream",
    "block_squared_mmd",
    "block_values",
    "choose_method",
    "kernel_sums",
    "landmark_moments",
    "moments_from_sums",
]
