"""From rows and a kernel to moments: exactly, tile by tile, or as the paper's authors do."""

from karat.gram.block import BlockValues, block_squared_mmd, block_values
from karat.gram.exact import kernel_sums
from karat.gram.moments import Moments, moments_from_sums
from karat.gram.sums import KernelSums

__all__ = [
    "BlockValues",
    "KernelSums",
    "Moments",
    "block_squared_mmd",
    "block_values",
    "kernel_sums",
    "moments_from_sums",
]
