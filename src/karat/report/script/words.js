// Numbers as the page writes them: as in karat.report.numbers and axis.

const minus = (text) => (text.startsWith("-") ? `−${text.slice(1)}` : text);

/** Three decimals after the leading zeros of a small distance. */
function distanceText(number) {
  if (number === 0) return "0";
  const places = Math.max(3, 2 - Math.floor(Math.log10(Math.abs(number))));
  return minus(number.toFixed(Math.min(places, 6)));
}

/** Whole from 10 on, one decimal below. */
const percentText = (number) => (number >= 9.95 || number === 0 ? number.toFixed(0) : number.toFixed(1));

function percentRange(low, high) {
  const [from, to] = [percentText(low), percentText(high)];
  return from === to ? from : `${from}–${to}`;
}

function signedText(number) {
  const shown = percentText(Math.abs(number));
  return shown === "0" || shown === "0.0" ? "0" : (number > 0 ? "+" : "−") + shown;
}

/** A share of one as a percentage: 0.95 is "95 %". */
const levelText = (share) => `${Number((100 * share).toPrecision(10))}\u00a0%`;

const pText = (p) => (p < 0.001 ? "below 0.001" : String(Number(p.toPrecision(2))));

/** The round number that divides a length into at most five steps. */
function niceStep(length) {
  const rough = length / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 2.5, 5, 10].find((step) => step * power >= rough * (1 - 1e-9));
}
