"""Theta, added up layer by layer, against gradients row by row by torch.func; skipped without torch."""

from __future__ import annotations

import numpy as np
import pytest

from karat.baselines import ntk, value
from karat.errors import ValuationError
from karat.models import model_named
from karat.models.networks import ResNet18, residual_block
from karat.vendors import Market

torch = pytest.importorskip("torch")
nn = torch.nn


def _by_torch_func(network, rows: np.ndarray, codes: np.ndarray | None) -> np.ndarray:
    """Gradients by the weights of linear and convolutional layers, one row at a time, and their products."""
    network = network.double().eval()
    modules = dict(network.named_modules())
    everything = {name: p.detach() for name, p in network.named_parameters()}
    watched = {
        name: p
        for name, p in everything.items()
        if name.endswith("weight")
        and isinstance(modules[name.removesuffix(".weight")], nn.Linear | nn.Conv2d)
    }
    buffers = dict(network.named_buffers())

    def output(weights, row, code):
        whole = everything | weights | buffers
        return torch.func.functional_call(network, whole, (row[None],))[0].gather(0, code[None])[0]

    picks = torch.from_numpy(np.zeros(len(rows), dtype=np.int64) if codes is None else codes)
    gradients = torch.func.vmap(torch.func.grad(output), (None, 0, 0))(watched, torch.from_numpy(rows), picks)
    flat = torch.cat([g.flatten(1) for g in gradients.values()], dim=1)
    return (flat @ flat.T).numpy()


def _tiny(outputs: int = 3):
    """Convolutions with stride, padding and dilation, a norm with its own scales, two linear layers."""
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Unflatten(1, (2, 6, 6)),
        *(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Tanh()),
        *(nn.Conv2d(4, 5, 2, stride=2, bias=False), nn.ReLU(), nn.Conv2d(5, 3, 2, dilation=2), nn.Flatten()),
        *(nn.Linear(3, 7), nn.LeakyReLU(), nn.Linear(7, outputs)),
    )
    network[2].running_var[:] = torch.tensor([0.5, 1.0, 2.0, 3.0])
    return network


@pytest.mark.parametrize("budget", [1, 1 << 20])
def test_theta_is_made_of_gradients_row_by_row(budget, monkeypatch):
    monkeypatch.setattr(ntk, "GRADIENT_BYTES", budget)
    monkeypatch.setattr(ntk, "ROWS_AT_ONCE", 5)
    rng = np.random.default_rng(0)
    rows, codes = rng.normal(size=(12, 72)), rng.integers(3, size=12)
    theta, outputs = ntk.tangent_kernel(_tiny(), rows, codes)
    np.testing.assert_allclose(theta, _by_torch_func(_tiny(), rows, codes), rtol=1e-9, atol=1e-12)
    with torch.no_grad():
        logits = _tiny().double().eval()(torch.from_numpy(rows)).numpy()
    np.testing.assert_allclose(outputs, logits[np.arange(12), codes], rtol=1e-12)


def test_a_network_of_numbers_has_one_output():
    rows = np.random.default_rng(0).normal(size=(6, 72))
    theta, _ = ntk.tangent_kernel(_tiny(1), rows, None)
    np.testing.assert_allclose(theta, _by_torch_func(_tiny(1), rows, None), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["cnn-22k", "mlp-16"])
def test_the_networks_of_karat_pass_through_it(name):
    network = model_named(name).fresh(400, 2, 0)
    rng = np.random.default_rng(1)
    rows, codes = rng.normal(size=(5, 400)), np.array([0, 1, 1, 0, 1])
    theta, _ = ntk.tangent_kernel(network, rows, codes)
    fresh = model_named(name).fresh(400, 2, 0)
    np.testing.assert_allclose(theta, _by_torch_func(fresh, rows, codes), rtol=1e-8, atol=1e-10)


def test_shortcuts_are_passed_through():
    def network():
        torch.manual_seed(1)
        block = residual_block()(2, 4, 2)
        return nn.Sequential(nn.Unflatten(1, (2, 6, 6)), block, nn.Flatten(), nn.Linear(36, 2))

    rows, codes = np.random.default_rng(2).normal(size=(4, 72)), np.array([1, 0, 0, 1])
    theta, _ = ntk.tangent_kernel(network(), rows, codes)
    np.testing.assert_allclose(theta, _by_torch_func(network(), rows, codes), rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_wide_convolutions_are_formed_some_channels_at_a_time(monkeypatch):
    """ResNet-18's last layers have more weights than maps."""
    monkeypatch.setattr(ntk, "GRADIENT_BYTES", 1 << 21)
    rows, codes = np.random.default_rng(2).normal(size=(2, 256)), np.array([1, 0])
    theta, _ = ntk.tangent_kernel(ResNet18().fresh(256, 2, 0), rows, codes)
    expected = _by_torch_func(ResNet18().fresh(256, 2, 0), rows, codes)
    np.testing.assert_allclose(theta, expected, rtol=1e-7)


def test_the_score_is_the_quadratic_form():
    rng = np.random.default_rng(3)
    rows, codes = rng.normal(size=(9, 72)), rng.integers(3, size=9)
    theta, outputs = ntk.tangent_kernel(_tiny(), rows, codes)
    r = 1.0 - outputs
    expected = r @ np.linalg.inv(theta + 0.1 * np.eye(9)) @ r
    assert ntk.network_score(_tiny(), rows, codes, 3, 0.1) == pytest.approx(expected)
    y = rng.normal(size=9)
    theta, outputs = ntk.tangent_kernel(_tiny(1), rows, None)
    expected = (y - outputs) @ np.linalg.inv(theta + 0.1 * np.eye(9)) @ (y - outputs)
    assert ntk.network_score(_tiny(1), rows, y, None, 0.1) == pytest.approx(expected)


def _market() -> Market:
    rng = np.random.default_rng(0)

    def draw(noise: float) -> tuple[np.ndarray, np.ndarray]:
        codes = np.arange(60) % 2
        x = np.where(codes, 1.5, -1.5)[:, None] + rng.normal(size=(60, 3))
        return x, np.where(rng.uniform(size=60) < noise, rng.integers(2, size=60), codes)

    drawn, test = [draw(i / 3) for i in range(3)], draw(0.0)
    return Market.from_arrays(
        {f"v{i}": x for i, (x, _) in enumerate(drawn)},
        anchor=test[0],
        labels={f"v{i}": y for i, (_, y) in enumerate(drawn)},
        anchor_labels=test[1],
    )


def test_vendors_are_valued_with_a_network():
    found = value(_market(), "davinz", model="mlp-16", initialisations=2)
    ntks = found.details["ntk"]
    assert ntks[0] < ntks[1] < ntks[2]
    in_blocks = value(_market(), "davinz", model="mlp-16", initialisations=2, block_rows=20)
    assert in_blocks.details["ntk"] != ntks


def test_a_convolution_with_groups_is_refused():
    network = nn.Sequential(nn.Unflatten(1, (2, 4, 4)), nn.Conv2d(2, 2, 3, groups=2), nn.Flatten())
    with pytest.raises(ValuationError, match="convolution with groups"):
        ntk.tangent_kernel(network, np.zeros((2, 32)), None)
