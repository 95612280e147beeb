"""Kernels: what two rows have in common, as a number with a stated bound."""

from karat.kernels.base import Kernel
from karat.kernels.compose import OnColumns, Product, Sum, on_blocks
from karat.kernels.inner import Linear, Polynomial
from karat.kernels.named import RULES, default_kernel, follows_from_rows, kernel_from_dict, kernel_named
from karat.kernels.radial import Energy, Gaussian, GaussianMean, GaussianSum, Laplace, RationalQuadratic

__all__ = [
    "RULES",
    "Energy",
    "Gaussian",
    "GaussianMean",
    "GaussianSum",
    "Kernel",
    "Laplace",
    "Linear",
    "OnColumns",
    "Polynomial",
    "Product",
    "RationalQuadratic",
    "Sum",
    "default_kernel",
    "follows_from_rows",
    "kernel_from_dict",
    "kernel_named",
    "on_blocks",
]
