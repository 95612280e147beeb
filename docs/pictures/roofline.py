"""Draw roofline.svg beside this file: python docs/pictures/roofline.py docs/results/speed-2-cores.json."""

import json
import sys
from pathlib import Path

from karat.bench.roofline import roofline_svg

figures = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
Path(__file__).with_suffix(".svg").write_text(roofline_svg(figures), encoding="utf-8")
