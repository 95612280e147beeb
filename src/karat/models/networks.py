"""The networks of the paper and its settings: two-layer CNNs, ResNet-18, and the small perceptron.

torch is imported where a network is built, so that this file can be read without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

from karat.models.images import Shape, image_shape
from karat.models.training import Network

LEAST_PIXELS = 16
"""Two convolutions and poolings need images of at least this height and width."""


@dataclass(frozen=True, kw_only=True)
class Mlp(Network):
    """One hidden layer with leaky rectifiers: what the authors' code calls logistic regression (16 units)."""

    name: ClassVar[str] = "mlp-16"
    meaning: ClassVar[str] = "one hidden layer of 16 units; the authors' 'logistic regression'"

    hidden: int = 16

    @property
    def scales_columns(self) -> bool:
        """Columns of a table have units of their own."""
        return True

    def build(self, columns: int, outputs: int) -> Any:
        from torch import nn

        return nn.Sequential(nn.Linear(columns, self.hidden), nn.LeakyReLU(), nn.Linear(self.hidden, outputs))


@dataclass(frozen=True, kw_only=True)
class Cnn(Network):
    """Two convolutions and two linear layers, in three sizes.

    22k: 10 and 20 maps of 5 x 5, 50 units: 21,840 parameters for 10 classes and one channel.
    104k: the network in the authors' code: 64 maps of 3 x 3 with tanh, 16 of 7 x 7, 200 units: 104,242.
    1.2m: 32 and 64 maps of 3 x 3, 128 units: 1,199,882.
    The last pooling gives maps of a fixed size (4 x 4, or 12 x 12 for 1.2m), so padding an image to 32 x 32
    does not change the number of parameters. The paper says "a standard 2-layer CNN" and no more.
    """

    name: ClassVar[str] = "cnn"
    meaning: ClassVar[str] = "two convolutions and two linear layers, on images"

    size: Literal["22k", "104k", "1.2m"] = "22k"

    def build(self, columns: int, outputs: int) -> Any:
        from torch import nn

        shape = self._image(columns)
        channels = shape[2]
        image = _to_image(shape)
        if self.size == "22k":
            return nn.Sequential(
                *image,
                *(nn.Conv2d(channels, 10, 5), nn.MaxPool2d(2), nn.ReLU()),
                *(nn.Conv2d(10, 20, 5), nn.AdaptiveMaxPool2d(4), nn.ReLU(), nn.Flatten()),
                *(nn.Linear(320, 50), nn.ReLU(), nn.Linear(50, outputs)),
            )
        if self.size == "104k":
            return nn.Sequential(
                *image,
                *(nn.Conv2d(channels, 64, 3), nn.Tanh(), nn.MaxPool2d(2)),
                *(nn.Conv2d(64, 16, 7), nn.ReLU(), nn.AdaptiveMaxPool2d(4), nn.Flatten()),
                *(nn.Linear(256, 200), nn.ReLU(), nn.Linear(200, outputs)),
            )
        return nn.Sequential(
            *image,
            *(nn.Conv2d(channels, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU()),
            *(nn.AdaptiveMaxPool2d(12), nn.Flatten()),
            *(nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, outputs)),
        )

    def check_columns(self, columns: int) -> None:
        self._image(columns)

    def _image(self, columns: int) -> Shape:
        return image_shape(columns, self.shape, model=f"cnn-{self.size}", least=LEAST_PIXELS)


@dataclass(frozen=True, kw_only=True)
class ResNet18(Network):
    """ResNet-18 (He et al. 2016): 11,181,642 parameters for 10 classes and 3 channels.

    stem: "wide" is the published one (7 x 7, stride 2, pooling), which the authors use on 32 x 32 images too;
    "small" (3 x 3, no pooling) keeps the resolution of small images, at about 16 times the cost. The
    authors start from weights trained on ImageNet; here every vendor's network starts from fresh ones.
    """

    name: ClassVar[str] = "resnet-18"
    meaning: ClassVar[str] = "18 layers with shortcuts, on images; weights from nothing"

    stem: Literal["wide", "small"] = "wide"

    def build(self, columns: int, outputs: int) -> Any:
        from torch import nn

        shape = self._image(columns)
        if self.stem == "wide":
            stem = [nn.Conv2d(shape[2], 64, 7, stride=2, padding=3, bias=False)]
        else:
            stem = [nn.Conv2d(shape[2], 64, 3, padding=1, bias=False)]
        stem += [nn.BatchNorm2d(64), nn.ReLU()]
        if self.stem == "wide":
            stem.append(nn.MaxPool2d(3, stride=2, padding=1))
        block = residual_block()
        blocks = []
        before = 64
        for maps, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            blocks += [block(before, maps, stride), block(maps, maps, 1)]
            before = maps
        head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, outputs)]
        return nn.Sequential(*_to_image(shape), *stem, *blocks, *head)

    def check_columns(self, columns: int) -> None:
        self._image(columns)

    def _image(self, columns: int) -> Shape:
        return image_shape(columns, self.shape, model=self.name, least=LEAST_PIXELS)


@cache
def residual_block() -> Any:
    """The class of a residual block; made on first use, because it derives from torch's Module."""
    from torch import nn

    class Residual(nn.Module):  # type: ignore[misc]
        """relu(body(x) + x), where x passes a 1 x 1 convolution if its shape changes."""

        def __init__(self, before: int, maps: int, stride: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                *(nn.Conv2d(before, maps, 3, stride, padding=1, bias=False), nn.BatchNorm2d(maps), nn.ReLU()),
                *(nn.Conv2d(maps, maps, 3, padding=1, bias=False), nn.BatchNorm2d(maps)),
            )
            self.shortcut = nn.Sequential()
            if stride != 1 or before != maps:
                self.shortcut = nn.Sequential(
                    nn.Conv2d(before, maps, 1, stride, bias=False), nn.BatchNorm2d(maps)
                )
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            return self.relu(self.body(x) + self.shortcut(x))

    return Residual


@cache
def _channels_first() -> Any:
    from torch import nn

    class ChannelsFirst(nn.Module):  # type: ignore[misc]
        """(m, height, width, channels) to (m, channels, height, width)."""

        def forward(self, x: Any) -> Any:
            return x.permute(0, 3, 1, 2)

    return ChannelsFirst


def _to_image(shape: tuple[int, int, int]) -> list[Any]:
    """Layers that turn flat rows into images; see `karat.models.images.Shape` for the order of the pixels."""
    from torch import nn

    return [nn.Unflatten(1, shape), _channels_first()()]
