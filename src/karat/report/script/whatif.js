// "What if": the market held against another mixture, with another margin and confidence, from the moments
// that the page carries. `whatIf` is the arithmetic and touches no element.

/** Everything the panel shows, as numbers; weights are shares per source and sum to one. */
function whatIf(moments, weights, { margin = 0, confidence = 0.95, most = 30 } = {}) {
  const found = squaredDistances(moments, weights);
  const distances = found.squared.map((_, a) => distanceOf(found, a));
  const order = found.squared.map((_, a) => a).sort((a, b) => found.squared[a] - found.squared[b] || a - b);
  const farthest = order.reduce((most, a) => (found.squared[a] > found.squared[most] ? a : most), order[0]);
  const percent = distances[farthest] / 100;
  const asked = { margin: margin * percent, confidence };
  const shown = order.slice(0, most);
  const judge = found.hasErrors && found.k <= most ? verdicts(found, shown, asked) : null;
  return {
    found,
    order,
    shown,
    percent,
    farthest,
    margin: asked.margin,
    confidence,
    ranks: ranksOf(moments, found.squared),
    values: distances.map((d) => 0 - d),
    intervals: distances.map((_, a) => distanceInterval(found, a, confidence)),
    verdict: judge,
    candidates: found.hasErrors ? order.filter((a) => !order.some((b) => isBeaten(found, a, b, confidence))) : order,
  };
}

/** Whether b is nearer than a, at the level that keeps the best vendor among the candidates. */
function isBeaten(found, a, b, confidence) {
  if (a === b) return false;
  const p = claimP(found, b, a, 0);
  return p < (1 - confidence) / (found.k - 1);
}

/** 1 is the nearest; values that differ by rounding share the best rank, and so do all that noise made zero. */
function ranksOf(moments, squared) {
  const clipped = squared.map((d) => Math.max(d, 0));
  const slack = 1e-9 * moments.gram.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  return clipped.map((mine) => 1 + clipped.filter((other) => other < mine - slack).length);
}
