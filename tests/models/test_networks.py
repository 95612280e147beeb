"""The networks have the published numbers of parameters and learn; skipped where torch is absent."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from karat.errors import ValuationError
from karat.models import model_named
from karat.models.networks import ResNet18, residual_block
from karat.models.training import Network

torch = pytest.importorskip("torch")


def _parameters(network) -> int:
    return sum(weights.numel() for weights in network.parameters())


@pytest.mark.parametrize(
    ("name", "columns", "parameters"),
    [
        ("cnn-22k", 28 * 28, 21_840),  # the classic MNIST example of torch's first years
        ("cnn-22k", 32 * 32, 21_840),
        ("cnn-104k", 32 * 32, 104_242),  # the authors' code: 640 + 50,192 + 51,400 + 2,010
        ("cnn-1.2m", 28 * 28, 1_199_882),  # the MNIST example in torch's repository
        ("cnn-1.2m", 32 * 32, 1_199_882),
        ("mlp-16", 22, 22 * 16 + 16 + 16 * 10 + 10),
    ],
)
def test_networks_have_the_parameters_that_their_names_say(name, columns, parameters):
    network = model_named(name).fresh(columns, 10, 0)
    assert _parameters(network) == parameters
    assert network(torch.zeros(2, columns)).shape == (2, 10)


def test_resnet_18_has_the_published_number_of_parameters():
    """11,689,512 for 1,000 classes; the last layer has 513 per class."""
    network = ResNet18().fresh(32 * 32 * 3, 1000, 0)
    assert _parameters(network) == 11_689_512
    assert network.eval()(torch.zeros(1, 32 * 32 * 3)).shape == (1, 1000)
    assert _parameters(ResNet18(stem="small").fresh(32 * 32 * 3, 10, 0)) == 11_173_962


@pytest.mark.parametrize(("before", "maps", "stride"), [(4, 4, 1), (4, 6, 2)])
def test_a_residual_block_is_two_convolutions_beside_a_shortcut(before, maps, stride):
    """He et al. 2016, figure 5 on the left, written out; norms at the start divide by sqrt(1 + 1e-5)."""
    torch.manual_seed(0)
    block = residual_block()(before, maps, stride).eval()
    convolve, norm = torch.nn.functional.conv2d, math.sqrt(1.0 + 1e-5)
    first, second, *across = [weights for weights in block.parameters() if weights.ndim == 4]
    x = torch.randn(2, before, 6, 6)
    inside = torch.relu(convolve(x, first, stride=stride, padding=1) / norm)
    aside = convolve(x, across[0], stride=stride) / norm if across else x
    expected = torch.relu(convolve(inside, second, padding=1) / norm + aside)
    torch.testing.assert_close(block(x), expected)
    assert len(across) == (before != maps)


@pytest.mark.parametrize(
    ("stem", "sides"), [("wide", [8, 8, 4, 4, 2, 2, 1, 1]), ("small", [32, 32, 16, 16, 8, 8, 4, 4])]
)
def test_resnet_18_halves_its_maps_three_times_after_the_stem(stem, sides):
    network = ResNet18(stem=stem).fresh(32 * 32 * 3, 10, 0).eval()
    found = []
    for layer in network:
        if isinstance(layer, residual_block()):
            layer.register_forward_hook(lambda *step: found.append(tuple(step[2].shape[1:])))
    network(torch.zeros(1, 32 * 32 * 3))
    maps = [64, 64, 128, 128, 256, 256, 512, 512]
    assert found == [(m, side, side) for m, side in zip(maps, sides, strict=True)]


def test_an_image_keeps_its_channels_and_lines():
    layers = model_named("cnn-22k", shape=(20, 18, 3)).fresh(20 * 18 * 3, 2, 0)
    image = np.arange(20 * 18 * 3, dtype=np.float32).reshape(20, 18, 3)
    as_seen = layers[1](layers[0](torch.from_numpy(image.reshape(1, -1))))[0]
    np.testing.assert_array_equal(as_seen.numpy(), image.transpose(2, 0, 1))


def test_training_leaves_the_generator_of_torch_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    rng = np.random.default_rng(0)
    model_named("mlp-16", epochs=2).fit(rng.normal(size=(30, 3)), rng.integers(2, size=30), n_classes=2)
    assert torch.rand(1) == expected


def test_training_stops_early_and_reports_progress():
    """Labels are noise: the held-out loss soon rises, and the weights of the best epoch are kept."""
    rng = np.random.default_rng(0)
    x, codes = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    told: list[tuple[float, float]] = []
    model = model_named("mlp-16", epochs=200, rate=0.05, patience=2, held_out=0.3)
    fitted = model.fit(x, codes, n_classes=2, progress=lambda *step: told.append(step))
    assert fitted.details["epochs"] < 100
    assert told[-1] == (fitted.details["epochs"], 200)
    everything = model_named("mlp-16", epochs=5, held_out=0.0).fit(x, codes, n_classes=2)
    assert everything.details["epochs"] == 5


def test_the_weights_kept_are_those_of_the_best_epoch():
    """Training for no more epochs than that ends with the same ones."""
    rng = np.random.default_rng(0)
    x, codes = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    settings = {"rate": 0.05, "patience": 2, "held_out": 0.3}
    fitted = model_named("mlp-16", epochs=200, **settings).fit(x, codes, n_classes=2)
    best = fitted.details["epochs"] - 2
    shorter = model_named("mlp-16", epochs=best, **settings).fit(x, codes, n_classes=2)
    np.testing.assert_array_equal(fitted.outputs(x), shorter.outputs(x))


@dataclass(frozen=True, kw_only=True)
class _Normed(Network):
    """A network with a norm that is kept for the test to look at."""

    name: ClassVar[str] = "normed"
    built: list[torch.nn.Module] = field(default_factory=list)

    def build(self, columns: int, outputs: int) -> torch.nn.Module:
        made = torch.nn.Sequential(
            torch.nn.Linear(columns, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, outputs)
        )
        self.built.append(made)
        return made


def test_norms_learn_in_training_and_stand_still_in_prediction():
    rng = np.random.default_rng(0)
    x, codes = rng.normal(size=(200, 4)), rng.integers(2, size=200)
    model = _Normed(epochs=2, held_out=0.0)
    fitted, again = (model.fit(x, codes, n_classes=2, seed=3) for _ in range(2))
    norm = model.built[0][1]
    assert norm.num_batches_tracked == 2 * 4  # batches of at most 64 rows
    assert norm.running_mean.abs().max() > 0.01
    whole = fitted.outputs(x)
    np.testing.assert_allclose(fitted.outputs(x[:5]), whole[:5], rtol=1e-5)
    assert norm.num_batches_tracked == 2 * 4
    np.testing.assert_array_equal(again.outputs(x), whole)


def test_the_seed_and_nothing_else_draws_the_first_weights():
    def weights(seed: int) -> np.ndarray:
        return model_named("mlp-16").fresh(4, 2, seed)[0].weight.detach().numpy()

    torch.manual_seed(1)
    first = weights(5)
    torch.manual_seed(2)
    np.testing.assert_array_equal(weights(5), first)
    assert not np.array_equal(weights(6), first)


def test_a_perceptron_learns_what_no_linear_model_can():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1000, 2)) * [1.0, 1000.0] + [0.0, 5000.0]
    codes = ((x[:, 0] > 0) ^ (x[:, 1] > 5000)).astype(int)
    fitted = model_named("mlp-16", epochs=30, rate=0.03).fit(x[:600], codes[:600], n_classes=2)
    assert fitted.score(x[600:], codes[600:]) > 0.95


def test_a_network_learns_numbers_in_their_own_units():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 3))
    y = 3e5 + 1e5 * x[:, 0] - 5e4 * np.abs(x[:, 1])
    fitted = model_named("mlp-16", epochs=60, rate=0.01).fit(x[:500], y[:500])
    assert fitted.score(x[500:], y[500:]) > 0.95


def test_a_small_cnn_learns_small_images():
    rng = np.random.default_rng(2)
    codes = np.arange(300) % 3
    images = rng.uniform(0, 0.5, size=(300, 16, 16))
    for code in range(3):  # a bright bar in one of three heights
        images[codes == code, 4 + 4 * code, :] += 0.6
    fitted = model_named("cnn-22k", epochs=12, rate=3e-3).fit(
        images[:240].reshape(240, -1), codes[:240], n_classes=3
    )
    assert fitted.score(images[240:].reshape(60, -1), codes[240:]) > 0.9


@pytest.mark.parametrize(
    ("columns", "shape", "message"),
    [
        (22, None, r"'cnn-22k' needs images, and 22 columns.*shape="),
        (1024, (32, 31, 1), r"\(32, 31, 1\) have 992 columns, the rows have 1024"),
        (64, None, r"at least 16 x 16 pixels, not 8 x 8.*'logistic'"),
    ],
)
def test_rows_that_are_no_images_are_refused_with_a_way_out(columns, shape, message):
    with pytest.raises(ValuationError, match=message):
        model_named("cnn-22k", shape=shape).fit(np.zeros((4, columns)), np.arange(4) % 2, n_classes=2)


@pytest.mark.parametrize("options", [{"epochs": 0}, {"batch": 0}, {"rate": 0.0}, {"held_out": 1.0}])
def test_settings_that_make_no_sense_are_refused(options):
    with pytest.raises(ValuationError, match="training has"):
        model_named("mlp-16", **options)
