// Student's t distribution, to a dozen digits: what intervals and p-values of the page need.

/** log Gamma(a + 1/2) - log Gamma(a), by recurrence up to 30 and the asymptotic series from there. */
function halfStep(a) {
  let shift = 0;
  while (a < 30) {
    shift += Math.log(a) - Math.log(a + 0.5);
    a += 1;
  }
  const r = 1 / a;
  return shift + Math.log(a) / 2 - r / 8 + r ** 3 / 192 - r ** 5 / 640 + (17 * r ** 7) / 14336;
}

/** The continued fraction of the incomplete beta function, by Lentz's method. */
function betaFraction(x, a, b) {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < tiny ? tiny : d);
  let h = d;
  for (let m = 1; m < 10000; m++) {
    let step = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    for (let part = 0; part < 2; part++) {
      d = 1 + step * d;
      c = 1 + step / c;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      if (Math.abs(c) < tiny) c = tiny;
      h *= d * c;
      step = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    }
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return h;
}

const MOST_DEGREES = 1e12; // beyond, the normal distribution to twelve digits

/** P(T > t) with so many degrees of freedom, accurate far out. */
function studentTail(t, degrees) {
  if (Number.isNaN(t) || Number.isNaN(degrees)) return NaN;
  degrees = Math.min(degrees, MOST_DEGREES);
  if (t === Infinity) return 0;
  if (t < 0) return 1 - studentTail(-t, degrees);
  if (t === 0) return 0.5;
  const a = degrees / 2;
  const far = (t * t) / (degrees + t * t);
  const near = degrees / (degrees + t * t);
  const front = Math.exp(-a * Math.log1p((t * t) / degrees) + Math.log(far) / 2 + halfStep(a)) / Math.sqrt(Math.PI);
  if (near < (a + 1) / (a + 2.5)) return (front * betaFraction(near, a, 0.5)) / a / 2;
  return 0.5 - front * betaFraction(far, 0.5, a);
}

function studentDensity(t, degrees) {
  const a = degrees / 2;
  return Math.exp(halfStep(a) - (a + 0.5) * Math.log1p((t * t) / degrees)) / Math.sqrt(Math.PI * degrees);
}

/** The t that is exceeded with probability `tail` below one half: Newton's method inside a bracket. */
function studentQuantile(tail, degrees) {
  if (Number.isNaN(degrees)) return NaN;
  degrees = Math.min(degrees, MOST_DEGREES);
  let low = 0;
  let high = 2;
  while (studentTail(high, degrees) > tail) {
    low = high;
    high *= 2;
  }
  let t = (low + high) / 2;
  for (let i = 0; i < 100; i++) {
    const excess = studentTail(t, degrees);
    if (excess > tail) low = t;
    else high = t;
    let next = t + (Math.log(excess / tail) * excess) / studentDensity(t, degrees);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (Math.abs(next - t) <= 1e-15 * t) return next;
    t = next;
  }
  return t;
}
