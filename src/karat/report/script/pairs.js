// Which of two vendors is nearer, with and without a margin, and all pairs at once: as in
// karat.guarantees.relative and karat.decisions.rank, whose docstrings hold the formulas.

const HALVINGS = 32;

const distanceOf = (found, a) => Math.sqrt(Math.max(found.squared[a], 0));
const shareOf = (part, whole) => (whole > 0 ? Math.max(part / whole, 0) : 0);

/** Standard error of onB theta_b - onA theta_a. */
function pairError(found, a, b, onA, onB) {
  const { k, plugIn: p, secondOrder: v } = found;
  const of = (m) => onA * onA * m[a * k + a] + onB * onB * m[b * k + b] - 2 * onA * onB * m[a * k + b];
  const second = Math.max(of(v), 0);
  return (
    Math.sqrt(Math.max(of(p) - second, second)) + onA * found.approximation[a] + onB * found.approximation[b]
  );
}

/** Z of the claim "d_b > d_a + margin": below zero, d_b > d_a is enough, and so is d_a alone below the margin. */
function statistic(found, a, b, margin) {
  const z = linearised(found, a, b, margin);
  if (!(margin < 0) || Number.isNaN(z)) return z;
  return Math.max(z, linearised(found, a, b, 0), below(found, a, -margin));
}

/** Z of the claim "d_a < edge". */
function below(found, a, edge) {
  const [squared, at] = [found.squared[a], a * found.k + a];
  const z = quantileBelow(squared, found.biased[a], found.plugIn[at], found.secondOrder[at], edge * edge);
  if (!(Number.isFinite(z) && z > 0)) return z;
  const room = edge * edge - squared;
  return room / (room / z + found.approximation[a]);
}

/** Z of the claim "d_b > d_a + margin", linearised at the larger distance. */
function linearised(found, a, b, margin) {
  const [da, db] = [distanceOf(found, a), distanceOf(found, b)];
  const onB = margin > 0 ? shareOf(db - margin, db) : 1;
  const onA = margin < 0 ? shareOf(da + margin, da) : 1;
  const thetaB = margin > 0 ? (db * onB) ** 2 : found.squared[b];
  const thetaA = margin === 0 ? found.squared[a] : (da * onA) ** 2;
  const error = pairError(found, a, b, onA, onB);
  if (Number.isNaN(error)) return NaN;
  if (margin > 0 && db <= margin) return -Infinity;
  return error === 0 && thetaB === thetaA ? 0 : (thetaB - thetaA) / error;
}

const pairDegrees = (found, a, b) => Math.min(found.degrees[a], found.degrees[b]);

/** One-sided p-value of the claim "d_b > d_a + margin"; NaN where too few rows allow none. */
function claimP(found, a, b, margin) {
  if (!found.hasErrors || Math.min(found.fewest[a], found.fewest[b]) < FEWEST_ROWS_TO_REPORT) return NaN;
  return studentTail(statistic(found, a, b, margin), pairDegrees(found, a, b));
}

/** The upper end of a vendor's distance. */
function upperEnd(found, a, z) {
  const at = a * found.k + a;
  const [, upper] = scoreInterval(found.squared[a], found.biased[a], found.plugIn[at], found.secondOrder[at], z);
  return Math.sqrt(upper + z * found.approximation[a]);
}

/** The largest margin at which "d_b > d_a + margin" is claimed; at least minus the upper end of d_a. */
function lowerGap(found, a, b, z) {
  const claimed = (margin) => statistic(found, a, b, margin) > z;
  const atZero = claimed(0);
  let low = atZero ? 0 : -upperEnd(found, a, z);
  let high = atZero ? distanceOf(found, b) : 0;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (claimed(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The interval of the gap d_b - d_a; null where there is none. */
function gapInterval(found, a, b, confidence) {
  if (Number.isNaN(claimP(found, a, b, 0))) return null;
  const z = studentQuantile((1 - confidence) / 2, pairDegrees(found, a, b));
  return [lowerGap(found, a, b, z), -lowerGap(found, b, a, z)];
}

/** Holm's adjustment: the smallest level at which each claim is made, all claims together. */
function holm(values) {
  const order = values.map((_, i) => i).sort((i, j) => values[i] - values[j]);
  const adjusted = new Array(values.length);
  let most = 0;
  order.forEach((i, place) => {
    most = Math.max(most, Math.min(values[i] * (values.length - place), 1));
    adjusted[i] = most;
  });
  return adjusted;
}

/**
 * Verdicts on all pairs of these vendors at one family-wise level: Holm over the pairs, each with twice the
 * smaller of its two one-sided p-values, as karat.decisions.multiplicity.holm_over_pairs.
 */
function verdicts(found, vendors, { margin, confidence }) {
  const pairs = vendors.flatMap((a, i) => vendors.slice(i + 1).map((b) => [a, b]));
  const claims = pairs.map(([a, b]) => {
    const [forward, backward] = [claimP(found, a, b, margin), claimP(found, b, a, margin)];
    const better = forward <= backward ? a : b;
    return { a, b, better, p: Math.min(2 * (forward <= backward ? forward : backward), 1) };
  });
  const known = claims.filter((claim) => !Number.isNaN(claim.p));
  holm(known.map((claim) => claim.p)).forEach((p, i) => {
    known[i].adjusted = p;
  });
  const table = new Map();
  for (const { a, b, better, adjusted } of claims) {
    const decided = adjusted <= 1 - confidence;
    const p = adjusted ?? NaN;
    table.set(a * found.k + b, { verdict: decided ? (better === a ? "better" : "worse") : "undecided", p });
    table.set(b * found.k + a, { verdict: decided ? (better === b ? "better" : "worse") : "undecided", p });
  }
  return (a, b) => table.get(a * found.k + b);
}
