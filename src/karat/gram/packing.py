"""Arrays as text: float64 in base64, so that a saved appraisal gives back every bit."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from karat.errors import AppraisalError


def pack(array: NDArray[np.float64] | None) -> dict[str, object] | None:
    """Shape and little-endian float64 bytes in base64.

    >>> pack(np.array([1.0, 2.0]))
    {'shape': [2], 'float64': 'AAAAAAAA8D8AAAAAAAAAQA=='}
    """
    if array is None:
        return None
    data = np.ascontiguousarray(array, dtype="<f8").tobytes()
    return {"shape": list(array.shape), "float64": base64.b64encode(data).decode("ascii")}


def unpack(packed: Mapping[str, object]) -> NDArray[np.float64]:
    """The inverse of `pack`; a damaged text is refused."""
    try:
        shape = tuple(int(size) for size in packed["shape"])  # type: ignore[attr-defined]
        data = base64.b64decode(str(packed["float64"]), validate=True)
        return np.frombuffer(data, dtype="<f8").reshape(shape).astype(np.float64)
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise AppraisalError(
            f"an array of the saved appraisal is damaged ({error}).",
            hint="Use an unchanged copy of the file, or appraise the previews again.",
        ) from error
