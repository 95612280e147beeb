"""How a network is trained: Adam on small batches, stopped when held-out rows no longer gain.

The seed decides initial weights, batches and held-out rows; the global state of torch is left as it was.
One thread does the arithmetic: batches are small (on a busy machine two threads were ten times slower), and
sums then do not depend on the machine. Run vendors side by side in processes where there are many cores.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.errors import ValuationError
from karat.models.base import Fitted, Model
from karat.models.images import Shape
from karat.typing import Matrix, Progress, Rows, Vector

LEAST_HELD_OUT = 10
"""With fewer held-out rows than this nothing is held out, and training runs for all epochs."""

ROWS_AT_ONCE = 512
"""Rows in one pass where nothing is trained."""


@dataclass(frozen=True, kw_only=True)
class Network(Model):
    """A network of torch, trained from fresh weights.

    epochs: at most so many passes over the rows; patience: passes without gain on the held-out rows after
    which training stops, with the best weights seen; held_out: their share, 0 for none (all epochs are run).
    rate: of Adam; batch: rows per step. shape: of images, where it cannot be told from the number of columns.

    The paper's authors use Adam with rate 1e-4 and betas (0.5, 0.999), batches of 64 and a fixed number of
    epochs (5 for MNIST, 20 for CIFAR10, 30 for tables), which needs 10,000 rows to get anywhere.
    """

    extra: ClassVar[str | None] = "torch"

    epochs: int = 30
    patience: int = 3
    held_out: float = 0.1
    rate: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    batch: int = 64
    shape: Shape | None = None

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.patience < 1 or self.batch < 1:
            raise ValuationError(
                f"training has {self.epochs} epochs, patience {self.patience} and batches of {self.batch}.",
                hint="Each is a whole number from 1 up.",
            )
        if not 0.0 <= self.held_out < 1.0 or not self.rate > 0.0:
            raise ValuationError(
                f"training has a held-out share of {self.held_out:g} and a rate of {self.rate:g}.",
                hint="The share lies between 0 and 1, the rate is positive.",
            )

    @abstractmethod
    def build(self, columns: int, outputs: int) -> Any:
        """The torch module for scaled rows (m, columns); its weights are drawn from torch's generator."""

    def fresh(self, columns: int, outputs: int, seed: int) -> Any:
        """The module with the weights that belong to a seed; torch's own generator is left as it was."""
        import torch

        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return self.build(columns, outputs)

    @property
    def scales_columns(self) -> bool:
        """Every column is standardised on its own; images are, as a whole."""
        return False

    def scaling(self, rows: Rows) -> tuple[Vector, Vector]:
        """The centre and the spread that rows are standardised with before they enter the network."""
        axis = 0 if self.scales_columns else None
        spread = np.atleast_1d(rows.std(axis=axis, dtype=np.float64))
        return np.atleast_1d(rows.mean(axis=axis, dtype=np.float64)), np.where(spread > 0.0, spread, 1.0)

    def _fit(
        self,
        rows: Rows,
        labels: NDArray[Any],
        *,
        n_classes: int | None,
        seed: int,
        progress: Progress | None,
    ) -> Fitted:
        import torch

        centre, spread = self.scaling(rows)
        middle, unit = (0.0, 1.0) if n_classes is not None else (labels.mean(), labels.std() or 1.0)
        inputs = as_tensor(rows, centre, spread)
        targets = torch.from_numpy(
            labels.astype(np.int64)
            if n_classes is not None
            else ((labels - middle) / unit).astype(np.float32)
        )
        network = self.fresh(rows.shape[1], n_classes or 1, seed)
        with one_thread():
            epochs = self._train(network, inputs, targets, n_classes, seed, progress)

        def outputs(rows: Rows) -> Matrix:
            with one_thread():
                raw = evaluate(network, as_tensor(rows, centre, spread))
            if n_classes is None:
                numbers: Matrix = raw[:, 0] * unit + middle
                return numbers
            powers = np.exp(raw - raw.max(axis=1, keepdims=True))
            shares: Matrix = powers / powers.sum(axis=1, keepdims=True)
            return shares

        return Fitted(outputs, n_classes, {"epochs": epochs})

    def _train(
        self,
        network: Any,
        inputs: Any,
        targets: Any,
        n_classes: int | None,
        seed: int,
        progress: Progress | None,
    ) -> int:
        """Train in place; how many epochs were run."""
        import torch

        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(len(inputs), generator=generator)
        n_held = round(self.held_out * len(inputs))
        n_held = n_held if n_held >= LEAST_HELD_OUT else 0
        held, kept = order[:n_held], order[n_held:]
        loss_of = torch.nn.CrossEntropyLoss() if n_classes is not None else _squared_error
        adam = torch.optim.Adam(network.parameters(), lr=self.rate, betas=self.betas)
        best, best_state, best_epoch = float("inf"), None, 0
        for epoch in range(1, self.epochs + 1):
            network.train()
            shuffled = kept[torch.randperm(len(kept), generator=generator)]
            for picked in _batches(shuffled, self.batch):
                adam.zero_grad()
                loss_of(network(inputs[picked]), targets[picked]).backward()
                adam.step()
            if progress is not None:
                progress(epoch, self.epochs)
            if n_held == 0:
                continue
            loss = float(loss_of(torch.from_numpy(evaluate(network, inputs[held])), targets[held]))
            if loss < best:
                best, best_state, best_epoch = loss, copy.deepcopy(network.state_dict()), epoch
            elif epoch - best_epoch >= self.patience:
                break
        if best_state is not None:
            network.load_state_dict(best_state)
        return epoch


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch and BLAS compute on one thread meanwhile."""
    import torch
    from threadpoolctl import threadpool_limits

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        torch.set_num_threads(before)


def as_tensor(rows: Rows, centre: Vector, spread: Vector) -> Any:
    """Rows as float32 for a network, standardised in float64 first."""
    import torch

    return torch.from_numpy(((rows - centre) / spread).astype(np.float32))


def evaluate(network: Any, inputs: Any) -> NDArray[np.float64]:
    """The network's outputs, (m, outputs) float64, without training it."""
    import torch

    network.eval()
    with torch.no_grad():
        parts = [network(part).double().numpy() for part in torch.split(inputs, ROWS_AT_ONCE)]
    return np.concatenate(parts)


def _batches(order: Any, size: int) -> Any:
    """Batches of about the same size: one of a single row would upset batch normalisation."""
    import torch

    return torch.tensor_split(order, max(1, -(-len(order) // size)))


def _squared_error(outputs: Any, targets: Any) -> Any:
    return ((outputs[:, 0] - targets) ** 2).mean()
