"""Kernels by name, with bandwidths from the reference where none is named: `default`, `gaussian:0.5`.

A rule is asked once per market, with the rows of the reference, and gives a fixed kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from karat.errors import KernelError
from karat.kernels.bandwidth import median_distance
from karat.kernels.base import Kernel
from karat.kernels.compose import OnColumns, Product, Sum
from karat.kernels.inner import Linear, Polynomial
from karat.kernels.radial import Energy, Gaussian, GaussianMean, GaussianSum, Laplace, RationalQuadratic
from karat.typing import Rows

Rule = Callable[[Sequence[Rows], tuple[float, ...]], Kernel]

PAPER_BANDWIDTHS = (1.0, 2.0, 5.0, 10.0)


def default_kernel(reference: Sequence[Rows]) -> GaussianMean:
    """The mean of Gaussians at a half, one and two times the median distance of the reference's rows."""
    median = median_distance(reference)
    return GaussianMean([median / 2.0, median, median * 2.0])


def _gaussian(reference: Sequence[Rows], numbers: tuple[float, ...]) -> Kernel:
    return Gaussian(*numbers) if numbers else Gaussian(median_distance(reference))


def _laplace(reference: Sequence[Rows], numbers: tuple[float, ...]) -> Kernel:
    return Laplace(*numbers) if numbers else Laplace(median_distance(reference, manhattan=True))


def _rational(reference: Sequence[Rows], numbers: tuple[float, ...]) -> Kernel:
    return RationalQuadratic(*numbers) if numbers else RationalQuadratic(median_distance(reference))


def _polynomial(_: Sequence[Rows], numbers: tuple[float, ...]) -> Kernel:
    degree, offset = (*numbers, *(3.0, 1.0)[len(numbers) :])
    return Polynomial(degree, offset)


def _mixture(kernel: type[GaussianSum] | type[GaussianMean]) -> Rule:
    def rule(reference: Sequence[Rows], numbers: tuple[float, ...]) -> Kernel:
        return kernel(numbers or default_kernel(reference).bandwidths)

    return rule


RULES: Mapping[str, tuple[Rule, int, str]] = {
    "default": (lambda rows, _: default_kernel(rows), 0, "mean of Gaussians at 1/2, 1, 2 times the median"),
    "paper": (lambda *_: GaussianSum(PAPER_BANDWIDTHS), 0, "sum of Gaussians with bandwidths 1, 2, 5, 10"),
    "gaussian": (_gaussian, 1, "one Gaussian; gaussian:BANDWIDTH"),
    "gaussian-mean": (_mixture(GaussianMean), 16, "mean of Gaussians; gaussian-mean:B1,B2,.."),
    "gaussian-sum": (_mixture(GaussianSum), 16, "sum of Gaussians; gaussian-sum:B1,B2,.."),
    "laplace": (_laplace, 1, "exponential of the Manhattan distance; laplace:BANDWIDTH"),
    "rational-quadratic": (_rational, 2, "heavier tails than a Gaussian; rational-quadratic:BANDWIDTH,ALPHA"),
    "energy": (lambda *_: Energy(), 0, "half the energy distance; unbounded"),
    "linear": (lambda *_: Linear(), 0, "distance of the means alone; unbounded"),
    "polynomial": (_polynomial, 2, "moments up to a degree; polynomial:DEGREE,OFFSET; unbounded"),
}
"""name -> (rule, most numbers it takes, one line for people)."""


FIXED = ("paper", "energy", "linear", "polynomial")
"""Kernels that are the same for every market, parameters or not."""


def follows_from_rows(text: str) -> bool:
    """Whether the kernel of that name gets a bandwidth from rows, as guarantees want to know.

    >>> follows_from_rows("default"), follows_from_rows("gaussian:0.5"), follows_from_rows("paper")
    (True, False, False)
    """
    name, _, tail = text.partition(":")
    return not tail and name not in FIXED


def kernel_named(text: str, reference: Sequence[Rows]) -> Kernel:
    """The kernel that `name` or `name:number,number` means for this reference.

    >>> import numpy as np
    >>> kernel_named("gaussian:0.5", [np.zeros((2, 1))])
    Gaussian(bandwidth=0.5)
    """
    if not isinstance(text, str):
        raise KernelError(
            f"a kernel was given as {text!r}, which is neither a kernel nor the name of one.",
            hint="Pass a name such as 'gaussian:0.5', or an object such as Gaussian(0.5).",
        )
    name, _, tail = text.partition(":")
    if name not in RULES:
        raise KernelError(f"there is no kernel called {name!r}.", hint=f"Choose from {', '.join(RULES)}.")
    rule, most, meaning = RULES[name]
    try:
        numbers = tuple(float(part) for part in tail.split(",")) if tail else ()
    except ValueError:
        raise KernelError(
            f"the kernel {text!r} has a parameter that is not a number.", hint=meaning
        ) from None
    if len(numbers) > most:
        raise KernelError(f"the kernel {text!r} has more than {most} parameters.", hint=meaning)
    return rule(reference, numbers)


_FIXED: Mapping[str, type[Kernel]] = {
    kind.name: kind
    for kind in (Gaussian, GaussianSum, GaussianMean, Laplace, RationalQuadratic, Energy, Linear, Polynomial)
}


def kernel_from_dict(saved: Mapping[str, object]) -> Kernel:
    """The inverse of `Kernel.to_dict`, for every kernel that karat ships."""
    name, parameters = saved["name"], saved["parameters"]
    assert isinstance(parameters, Mapping)
    if name in ("sum", "product"):
        return (Sum if name == "sum" else Product)([kernel_from_dict(part) for part in parameters["parts"]])
    if name == "on-columns":
        return OnColumns(kernel_from_dict(parameters["kernel"]), parameters["start"], parameters["stop"])
    if name not in _FIXED:
        raise KernelError(
            f"the saved kernel {name!r} is not one that karat ships.",
            hint="Values and intervals can be read; to compute more, make the kernel again in Python.",
        )
    return _FIXED[str(name)](**parameters)
