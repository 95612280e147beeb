"""From rows and a kernel to moments: exactly, tile by tile, or as the paper's authors do."""

from karat.gram.exact import kernel_sums
from karat.gram.moments import Moments, moments_from_sums
from karat.gram.sums import KernelSums

__all__ = ["KernelSums", "Moments", "kernel_sums", "moments_from_sums"]
