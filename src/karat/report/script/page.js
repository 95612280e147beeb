// What happens when the page opens: the tables of pairs become walkable, and the panel comes to life.

const MOST_WITH_INTERVALS = 30;

function open() {
  const saved = JSON.parse(document.getElementById("karat-appraisal").textContent);
  const matrix = document.querySelector("#pairs .matrix");
  if (matrix) walkable(matrix, document.querySelector("#pairs .detail"), (cell) => cell.title);
  const panel = document.getElementById("what-if");
  if (panel) startPanel(panel, saved);
  for (const element of document.querySelectorAll("[data-needs-script]")) element.hidden = false;
}

/** An empty matrix of verdicts for so many vendors. */
function emptyMatrix(size) {
  const places = Array.from({ length: size }, (_, i) => String(i + 1));
  const head = make(
    "tr",
    {},
    make("th", { scope: "col", class: "corner" }, make("span", { class: "unseen" }, "Vendor")),
    ...places.map((place) => make("th", { scope: "col" }, make("abbr", {}, place))),
  );
  const rows = places.map((place, i) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, make("span", { class: "order" }, place), make("bdi")),
      ...places.map((_, j) =>
        i === j
          ? make("td", { class: "same" })
          : make("td", {}, make("span", { class: "glyph", "aria-hidden": "true" }), make("span", { class: "unseen" }), make("span", { class: "gap" })),
      ),
    ),
  );
  return make("table", { class: size > 12 ? "matrix compact" : "matrix" }, make("thead", {}, head), make("tbody", {}, ...rows));
}

function startPanel(panel, saved) {
  const moments = readMoments(saved.moments);
  const k = moments.vendors.length;
  if (k > MOST_WITH_INTERVALS) moments.covariance = null;
  const equal = moments.names.map((_, j) => (j === moments.anchor ? 0 : 1 / k));
  const start = saved.reference.weights ?? equal;
  const original = document.querySelector("#leaderboard .board");
  const board = original.cloneNode(true);
  panel.querySelector(".what-board").append(board);
  const rows = new Map([...board.tBodies[0].rows].map((row) => [Number(row.dataset.vendor), row]));
  const names = [];
  const short = [];
  for (const [a, row] of rows) {
    names[a] = row.querySelector("bdi").textContent;
    short[a] = row.dataset.short;
    row.querySelector(".rank").replaceChildren();
  }
  const hasMatrix = k > 1 && k <= MOST_WITH_INTERVALS && moments.covariance !== null;
  const matrix = hasMatrix ? emptyMatrix(k) : null;
  const status = panel.querySelector(".outcome");
  const sliders = [...panel.querySelectorAll("input[data-source]")];
  const margin = panel.querySelector("#what-margin");
  const confidence = panel.querySelector("#what-confidence");
  const levels = confidence.dataset.levels.split(" ").map(Number);
  const isRanked = original.querySelector("tbody .rank").textContent !== "";
  let weights = [...start];
  let result = null;

  function show() {
    result = whatIf(moments, weights, { margin: Number(margin.value), confidence: levels[confidence.value] });
    const speaks = isRanked || weights.some((w, j) => w !== start[j]);
    showBoard(board, rows, names, result, speaks);
    if (matrix) showMatrix(matrix, names, short, result);
    status.textContent = outcome(result, names);
  }
  /** Sliders hold parts; the mixture is their share of the whole. */
  function label() {
    for (const slider of sliders) say(slider, levelText(Math.round(1000 * weights[slider.dataset.source]) / 1000));
    say(margin, `${margin.value}\u00a0%`);
    say(confidence, levelText(levels[confidence.value]));
  }
  function say(slider, text) {
    slider.setAttribute("aria-valuetext", text);
    slider.nextElementSibling.textContent = text;
  }
  function set(chosen) {
    weights = [...chosen];
    for (const slider of sliders) slider.value = Math.round(100 * weights[slider.dataset.source]);
    update();
  }
  let parts = null;
  function moved(slider) {
    parts ??= weights.map((w) => 100 * w);
    parts[slider.dataset.source] = Number(slider.value);
    const whole = parts.reduce((sum, part) => sum + part, 0);
    if (whole > 0) weights = parts.map((part) => part / whole);
    update();
  }
  let waiting = false;
  function update() {
    label();
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      show();
    });
  }

  for (const slider of sliders) slider.addEventListener("input", () => moved(slider));
  margin.addEventListener("input", update);
  confidence.addEventListener("input", update);
  for (const button of panel.querySelectorAll("button[data-preset]")) {
    button.addEventListener("click", () => {
      parts = null;
      set(saved.references[button.dataset.preset]);
    });
  }
  panel.querySelector("button[data-reset]").addEventListener("click", () => {
    parts = null;
    margin.value = 0;
    confidence.value = levels.indexOf(saved.confidence);
    set(start);
  });
  confidence.value = levels.indexOf(saved.confidence);
  if (matrix) {
    panel.querySelector(".what-matrix").append(matrix);
    show();
    walkable(matrix, panel.querySelector(".detail"), (_, i, j) => pairSentence(result, names, result.shown[i], result.shown[j]));
  }
  set(start);
  globalThis.karat = { whatIf: (chosen, options) => numbersOf(whatIf(moments, chosen, options)) };
}

/** What the panel found, in a sentence. */
function outcome(result, names) {
  const { order, candidates, found } = result;
  if (found.k === 1) return "With one vendor there is nothing to compare; its distance is below.";
  if (!found.hasErrors) return `Nearest: ${names[order[0]]}. For this many vendors the page shows values and order, without intervals.`;
  const named = candidates.slice(0, 4).map((a) => names[a]);
  const more = candidates.length > 4 ? ` and ${candidates.length - 4} more` : "";
  const out = found.k - candidates.length;
  const decided = result.verdict
    ? result.shown.flatMap((a, i) => result.shown.slice(i + 1).filter((b) => result.verdict(a, b).verdict !== "undecided")).length
    : 0;
  const pairs = (result.shown.length * (result.shown.length - 1)) / 2;
  return `May be the nearest: ${named.join(", ")}${more}. Ruled out: ${out} of ${found.k}. Pairs decided: ${decided} of ${pairs}.`;
}

/** The result as plain numbers, for whoever asks from the console, and for the tests. */
function numbersOf(result) {
  const { found, shown, verdict } = result;
  const table = (of) => shown.map((a) => shown.map((b) => (a === b || !verdict ? null : of(a, b))));
  return {
    squared: found.squared,
    values: result.values,
    intervals: result.intervals,
    order: result.order,
    percent: result.percent,
    shown,
    candidates: result.candidates,
    verdicts: table((a, b) => verdict(a, b).verdict),
    pValues: table((a, b) => verdict(a, b).p),
    gaps: table((a, b) => gapInterval(found, a, b, result.confidence)),
  };
}

open();
