// The moments that the page carries, and squared distances to any mixture from them alone: as in
// karat.guarantees.asymptotic, influence and score, whose docstrings hold the formulas.

const FEWEST_ROWS = 4;
const FEWEST_ROWS_TO_REPORT = 10;
const ROUNDING = 1e-12;

/** An array that was packed as base64 of little-endian float64; null stays null. */
function unpack(packed) {
  if (packed === null) return null;
  const text = atob(packed.float64);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

/** Plain arrays and sizes; the anchor, if any, is the last source. */
function readMoments(saved) {
  const found = { names: saved.names, n: saved.names.length, anchor: saved.anchor };
  found.vendors = found.names.map((_, j) => j).filter((j) => j !== found.anchor);
  for (const name of ["effective_sizes", "gram", "gram_biased", "covariance", "interaction", "approximation"]) {
    found[name] = unpack(saved[name]);
  }
  return found;
}

/** c' M c for a matrix stored row by row. */
function quadratic(matrix, contrast, n, offset = 0) {
  let total = 0;
  for (let i = 0; i < n; i++) {
    let row = 0;
    for (let j = 0; j < n; j++) row += matrix[offset + i * n + j] * contrast[j];
    total += row * contrast[i];
  }
  return total;
}

/** Squared distances of all vendors to the mixture, with their joint uncertainty where it is kept. */
function squaredDistances(moments, weights) {
  const { n, vendors, effective_sizes: sizes } = moments;
  const k = vendors.length;
  if (moments.covariance === null) return { k, hasErrors: false, squared: distancesAlone(moments, weights) };
  const contrasts = vendors.map((source) => Float64Array.from(weights, (w, j) => (j === source ? 1 : 0) - w));
  const size = moments.gram_biased.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const found = { k, contrasts };
  found.squared = contrasts.map((c) => quadratic(moments.gram, c, n));
  found.biased = contrasts.map((c) => quadratic(moments.gram_biased, c, n)).map((b) => (b <= ROUNDING * size ? 0 : b));
  found.fewest = contrasts.map((c) => c.reduce((least, w, j) => (w !== 0 ? Math.min(least, sizes[j]) : least), Infinity));
  found.approximation = contrasts.map((c) =>
    moments.approximation === null ? 0 : quadratic(moments.approximation, c.map(Math.abs), n),
  );
  found.hasErrors = true;
  const { total, shares } = plugIn(moments, contrasts);
  found.plugIn = total;
  found.secondOrder = secondOrder(moments, contrasts);
  found.degrees = contrasts.map((_, a) => degreesOfFreedom(shares, a, sizes, found.fewest[a]));
  for (let a = 0; a < k; a++) {
    for (let b = 0; b < k; b++) {
      if (found.fewest[a] >= FEWEST_ROWS && found.fewest[b] >= FEWEST_ROWS) continue;
      found.plugIn[a * k + b] = NaN;
      found.secondOrder[a * k + b] = NaN;
    }
  }
  return found;
}

/** G_ii - 2 (G w)_i + w' G w: for markets too large for their uncertainty, O(n^2) in all. */
function distancesAlone({ n, gram, vendors }, weights) {
  const product = weights.map((_, i) => weights.reduce((sum, w, j) => sum + gram[i * n + j] * w, 0));
  const own = weights.reduce((sum, w, i) => sum + w * product[i], 0);
  return vendors.map((i) => gram[i * n + i] - 2 * product[i] + own);
}

/** P for all pairs of contrasts, and what each source adds to its diagonal. */
function plugIn({ n, covariance, effective_sizes: sizes }, contrasts) {
  const k = contrasts.length;
  const total = new Float64Array(k * k);
  const shares = new Float64Array(n * k);
  const moved = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    for (let a = 0; a < k; a++) {
      if (contrasts[a][j] === 0) continue;
      for (let l = 0; l < n; l++) {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += covariance[(j * n + i) * n + l] * contrasts[a][i];
        moved[l] = sum;
      }
      for (let b = 0; b <= a; b++) {
        if (contrasts[b][j] === 0) continue;
        let sum = 0;
        for (let l = 0; l < n; l++) sum += moved[l] * contrasts[b][l];
        const part = (4 * contrasts[a][j] * contrasts[b][j] * sum) / sizes[j];
        total[a * k + b] += part;
        if (a === b) shares[j * k + a] = part;
        else total[b * k + a] += part;
      }
    }
  }
  return { total, shares };
}

/** V2 for all pairs of contrasts; unknown interactions count as nothing. */
function secondOrder({ n, interaction, effective_sizes: sizes }, contrasts) {
  const k = contrasts.length;
  const rates = interaction.map((eta, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    const pairs = sizes[i] * sizes[j] - (i === j ? sizes[i] : 0);
    return Number.isFinite(eta) && pairs > 0 ? eta / pairs : 0;
  });
  const result = new Float64Array(k * k);
  const product = new Float64Array(n);
  for (let a = 0; a < k; a++) {
    for (let b = 0; b <= a; b++) {
      for (let j = 0; j < n; j++) product[j] = contrasts[a][j] * contrasts[b][j];
      result[a * k + b] = result[b * k + a] = 2 * quadratic(rates, product, n);
    }
  }
  return result;
}

function degreesOfFreedom(shares, a, sizes, fewest) {
  const k = shares.length / sizes.length;
  let sum = 0;
  let spent = 0;
  for (let j = 0; j < sizes.length; j++) {
    const share = shares[j * k + a];
    sum += share;
    spent += (share * share) / Math.max(sizes[j] - 1, 1);
  }
  return spent > 0 ? (sum * sum) / spent : Math.max(fewest - 1, 1);
}

/** tau^2: how fast the first-order variance grows with the squared distance. */
function steepness(squared, biased, plugInVariance, second) {
  const v2 = Math.max(second, 0);
  const total = Math.max(biased - squared, 0);
  const prior = total > 0 ? (4 * (v2 / 2) ** 0.75) / Math.sqrt(total) : 0;
  const weight = 2 * Math.sqrt(v2);
  const top = Math.max(plugInVariance - 2 * v2, 0) + weight * prior;
  const bottom = Math.max(squared, 0) + weight;
  const most = 4 * total;
  return top < most * bottom ? top / bottom : most;
}

/** The score interval of a squared distance, as [lower, upper]. */
function scoreInterval(squared, biased, plugInVariance, second, z) {
  const q = Math.max(z, (z * z - 1) / Math.SQRT2);
  const v2 = Math.max(second, 0);
  const tau2 = steepness(squared, biased, plugInVariance, second);
  const middle = squared + (z * z * tau2) / 2;
  const half = Math.sqrt(z * z * tau2 * Math.max(squared, 0) + (z ** 4 * tau2 * tau2) / 4 + q * q * v2);
  return [Math.max(middle - half, 0), Math.max(middle + half, 0)];
}

const NORMAL_UP_TO = (Math.SQRT2 + Math.sqrt(6)) / 2;

/** The largest z whose score interval of a squared distance ends below the edge; -Infinity where none does. */
function quantileBelow(squared, biased, plugInVariance, second, edge) {
  const v2 = Math.max(second, 0);
  const spread = steepness(squared, biased, plugInVariance, second) * (edge + Math.max(-squared, 0));
  if (Number.isNaN(spread)) return NaN;
  const room = Math.max(edge - squared, 0) ** 2;
  if (room === 0) return -Infinity;
  if (!(spread + v2 > 0)) return Infinity;
  const normal = Math.sqrt(room / (spread + v2));
  if (normal <= NORMAL_UP_TO) return normal;
  const gap = spread - v2;
  const rest = room - v2 / 2;
  return Math.sqrt((2 * rest) / (gap + Math.sqrt(gap * gap + 2 * v2 * rest)));
}

/** The distance interval of one vendor, nearer end first; null where none can be given. */
function distanceInterval(found, a, confidence) {
  if (!found.hasErrors || found.fewest[a] < FEWEST_ROWS_TO_REPORT) return null;
  const z = studentQuantile((1 - confidence) / 2, found.degrees[a]);
  const at = a * found.k + a;
  const [lower, upper] = scoreInterval(found.squared[a], found.biased[a], found.plugIn[at], found.secondOrder[at], z);
  const slack = z * found.approximation[a];
  return [Math.sqrt(Math.max(lower - slack, 0)), Math.sqrt(upper + slack)];
}
