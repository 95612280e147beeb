"""Optimal transport between two weighted sets of rows: exact, and with entropy, in bounded memory."""

from karat.baselines.transport.entropic import (
    entropic_transport,
    entropy,
    self_transport,
    sinkhorn_divergence,
)
from karat.baselines.transport.exact import exact_transport
from karat.baselines.transport.ground import Ground, Transport

__all__ = [
    "Ground",
    "Transport",
    "entropic_transport",
    "entropy",
    "exact_transport",
    "self_transport",
    "sinkhorn_divergence",
]
