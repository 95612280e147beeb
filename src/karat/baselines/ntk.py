"""The neural tangent kernel of a network at its present weights, added up layer by layer.

The gradient of an output by the weights of a layer is made of what enters the layer and of the derivative
by what leaves it; inner products of gradients follow from these two without the gradients:

    linear layer, input a, derivative d:      <grad_k, grad_l> = <a_k, a_l> <d_k, d_l>
    convolution:                              grad_k = sum over positions of d_k patch_k',
                                              formed for some output channels at a time

so memory is that of activations, not of rows times parameters: 2,000 rows of a network of 1.2 million
parameters would take 19 GB in float64. All in float64: Theta is nearly singular, and a float32 inverse is
noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import ValuationError
from karat.models.training import one_thread
from karat.typing import Matrix, Rows, Vector

ROWS_AT_ONCE = 128
"""Rows in one pass through the network."""

GRADIENT_BYTES = 512 << 20
"""Gradients of one layer that are held at a time."""


def network_score(
    network: Any, rows: Rows, labels: NDArray[Any], n_classes: int | None, ridge: float
) -> float:
    """The form r' (Theta + ridge I)^-1 r for these rows; see `karat.baselines.davinz`."""
    from scipy.linalg import cho_factor, cho_solve

    with one_thread():
        theta, outputs = tangent_kernel(network, rows, None if n_classes is None else labels)
        residuals = (1.0 if n_classes is not None else labels) - outputs
        theta[np.diag_indices_from(theta)] += ridge
        return float(residuals @ cho_solve(cho_factor(theta, lower=True, overwrite_a=True), residuals))


def tangent_kernel(network: Any, rows: Rows, codes: NDArray[np.intp] | None) -> tuple[Matrix, Vector]:
    """Theta, (m, m), and the outputs, (m,): the logits of the given classes, or the only output.

    Gradients are by the weights of linear and convolutional layers. The network is put in evaluation mode.
    """
    import torch

    network = network.double().eval().requires_grad_(False)
    layers = [_layer(module) for module in network.modules() if _has_weights(module)]
    hooks = [layer.module.register_forward_hook(layer.watch) for layer in layers]
    outputs = []
    try:
        for start in range(0, len(rows), ROWS_AT_ONCE):
            part = torch.from_numpy(np.array(rows[start : start + ROWS_AT_ONCE], dtype=np.float64))
            raw = network(part.requires_grad_(True))
            if codes is None:
                picked = raw[:, 0]
            else:
                picked = raw[torch.arange(len(raw)), torch.from_numpy(codes[start : start + ROWS_AT_ONCE])]
            picked.sum().backward()  # rows do not meet, so every row gets its own derivative
            outputs.append(picked.detach().numpy())
            for layer in layers:
                layer.keep()
    finally:
        for hook in hooks:
            hook.remove()
    theta = np.zeros((len(rows), len(rows)))
    for layer in layers:
        layer.add_to(theta)
    return theta, np.concatenate(outputs)


@dataclass
class _Linear:
    """What entered a linear layer and the derivative by what left it, row by row."""

    module: Any
    entered: list[Any] = field(default_factory=list)
    derived: list[Any] = field(default_factory=list)
    _now: list[Any] = field(default_factory=list)

    def watch(self, _: Any, inputs: tuple[Any, ...], output: Any) -> None:
        self._now = [inputs[0].detach()]
        output.register_hook(self._now.append)

    def keep(self) -> None:
        a, d = self._now
        self.entered.append(a)
        self.derived.append(d)

    def add_to(self, theta: Matrix) -> None:
        """Add this layer's inner products; what was kept is let go."""
        a, d = _joined(self.entered), _joined(self.derived)
        self.entered, self.derived = [], []
        theta += (a @ a.T) * (d @ d.T)


@dataclass
class _Convolution(_Linear):
    """The same for a convolution; where its gradients are smaller than its maps, they are kept instead."""

    def keep(self) -> None:
        a, d = self._now
        if self.module.weight[0].numel() * d.shape[1] <= a[0].numel() + d[0].numel():
            self.derived.append(self._gradients(a, d))
            return
        super().keep()

    def add_to(self, theta: Matrix) -> None:
        if not self.entered:
            gradients = _joined(self.derived)
            self.derived = []
            theta += gradients @ gradients.T
            return
        a, d = self.entered, self.derived
        self.entered, self.derived = [], []
        per_channel = len(theta) * self.module.weight[0].numel() * 8
        step = max(1, GRADIENT_BYTES // per_channel)
        for c in range(0, self.module.out_channels, step):
            some = _joined([self._gradients(x, y[:, c : c + step]) for x, y in zip(a, d, strict=True)])
            theta += some @ some.T

    def _gradients(self, a: Any, d: Any) -> Any:
        """Gradients by the weights of some output channels, (rows, channels * weights of one)."""
        from torch.nn.functional import unfold

        module = self.module
        patches = unfold(a, module.kernel_size, module.dilation, module.padding, module.stride)
        return (d.flatten(2) @ patches.transpose(1, 2)).flatten(1)


def _joined(parts: list[Any]) -> Matrix:
    """Parts of the rows, one below the other, for numpy: it multiplies g g' at half the cost of torch."""
    import torch

    joined: Matrix = torch.cat(parts).numpy()
    return joined


def _has_weights(module: Any) -> bool:
    from torch import nn

    return isinstance(module, nn.Linear | nn.Conv2d)


def _layer(module: Any) -> _Linear:
    from torch import nn

    if isinstance(module, nn.Linear):
        return _Linear(module)
    if module.groups != 1 or module.padding_mode != "zeros" or isinstance(module.padding, str):
        raise ValuationError(
            "the network has a convolution with groups, or with a padding that is not a number of zeros.",
            hint="Use plain convolutions, or the networks that karat has.",
        )
    return _Convolution(module)
