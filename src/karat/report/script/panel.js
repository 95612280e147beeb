// The panel: sliders in, tables out. It only ever writes text and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "rect", "circle", "line", "text", "title"]);
const GLYPHS = { better: "▲", worse: "▼", undecided: "≈" };
const VERBS = { better: "is nearer than", worse: "is farther than", undecided: "cannot be told from" };

/** An element with attributes and children; children are elements or text. */
function make(tag, attributes = {}, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const round3 = (x) => Math.round(x * 1000) / 1000;

/** The axis that holds every interval, in per cent of the farthest vendor where there is a scale. */
function axisOf(result) {
  const far = result.intervals.map((ends, a) => (ends ? ends[1] : 0 - result.values[a]));
  const hasScale = result.found.k > 1 && result.percent > 0;
  const unit = hasScale ? result.percent : 1;
  const end = Math.max(...far) || unit;
  const step = niceStep(end / unit);
  const ticks = Array.from({ length: Math.floor(end / unit / step + 1e-9) + 1 }, (_, i) => i * step);
  const place = (distance) => round3(100 * Math.min(Math.max(distance / end, 0), 1));
  return { unit, ticks, place, hasScale, suffix: hasScale ? "\u00a0%" : "" };
}

function amounts(axis, ends) {
  if (!axis.hasScale) return `${distanceText(ends[0])} to ${distanceText(ends[1])}`;
  return `${percentRange(ends[0] / axis.unit, ends[1] / axis.unit)}\u00a0%`;
}

function distanceWords(axis, result, a) {
  if (result.intervals[a]) return amounts(axis, result.intervals[a]);
  const distance = 0 - result.values[a];
  const shown = axis.hasScale ? `${percentText(distance / axis.unit)}\u00a0%` : distanceText(distance);
  return result.found.hasErrors ? `${shown}, no interval` : shown;
}

/** One bar, as karat.report.figures.interval_bar draws it; `was` marks the value of the appraisal itself. */
function drawBar(bar, axis, result, a, name) {
  const parts = axis.ticks.map((tick) => {
    const x = `${axis.place(tick * axis.unit)}%`;
    return make("line", { class: "grid", x1: x, x2: x, y1: "0", y2: "100%" });
  });
  const ends = result.intervals[a];
  if (ends) {
    const [left, right] = [axis.place(ends[0]), axis.place(ends[1])];
    const width = Math.max(round3(right - left), 0.6);
    parts.push(make("rect", { class: "interval", x: `${left}%`, y: "50%", width: `${width}%`, height: "8", rx: "4" }));
  }
  parts.push(make("circle", { class: "dot", cx: `${axis.place(0 - result.values[a])}%`, cy: "50%", r: "5" }));
  const label = `${name}: ${distanceWords(axis, result, a)}; value ${distanceText(result.values[a])}`;
  bar.setAttribute("aria-label", label);
  bar.replaceChildren(make("title", {}, label), ...parts);
}

/** Where a number stands at its tick: not beyond the ends of the axis. */
const anchorAt = (place) => (place === 0 ? "start" : place > 92 ? "end" : "middle");

/** Say beside the farthest vendor that it is the unit; the farthest changes with the mixture. */
function showNote(cell, isScale) {
  const note = cell.querySelector("small");
  if (note) note.hidden = !isScale;
  else if (isScale) cell.append(make("small", {}, "sets the scale"));
}

/** Write a result into the copied leaderboard, rows in their new order; ranks where the order speaks. */
function showBoard(board, rows, names, result, hasRanks) {
  const axis = axisOf(result);
  board.querySelector(".axis").replaceChildren(
    ...axis.ticks.map((tick) =>
      make(
        "text",
        { x: `${axis.place(tick * axis.unit)}%`, y: "14", "text-anchor": anchorAt(axis.place(tick * axis.unit)) },
        `${Number(tick.toPrecision(6))}${axis.suffix}`,
      ),
    ),
  );
  const body = board.tBodies[0];
  result.order.forEach((a, place) => {
    const row = rows.get(a);
    if (body.rows[place] !== row) body.insertBefore(row, body.rows[place] ?? null);
    row.className = result.candidates.includes(a) ? "" : "beaten";
    row.querySelector(".rank").textContent = hasRanks ? result.ranks[a] : "";
    row.querySelector(".amount").textContent = distanceWords(axis, result, a);
    showNote(row.querySelector(".share"), axis.hasScale && a === result.farthest);
    row.querySelector(".number").textContent = distanceText(result.values[a]);
    const ends = result.intervals[a];
    row.querySelector(".value small").textContent = ends
      ? `${distanceText(0 - ends[1])} to ${distanceText(0 - ends[0])}`
      : "";
    drawBar(row.querySelector(".bar"), axis, result, a, names[a]);
  });
}

/** A gap in per cent of the scale, or as it is where there is none. */
const gapText = (result, size) =>
  result.found.k > 1 && result.percent > 0
    ? signedText(size / result.percent)
    : (size > 0 ? "+" : "") + distanceText(size);

/** The whole answer on one pair, computed when it is asked for. */
function pairSentence(result, names, a, b) {
  const { verdict, p } = result.verdict(a, b);
  const gap = distanceOf(result.found, b) - distanceOf(result.found, a);
  const ends = gapInterval(result.found, a, b, result.confidence);
  const between = ends ? `, interval ${gapText(result, ends[0])} to ${gapText(result, ends[1])}` : "";
  const beyond = result.margin > 0 ? ` by the margin of ${gapText(result, result.margin).slice(1)}\u00a0%` : "";
  const chance = Number.isNaN(p) ? "" : `; p ${pText(p)} among all pairs`;
  return `${names[a]} ${VERBS[verdict]} ${names[b]}${beyond}: gap ${gapText(result, gap)}${between}${chance}.`;
}

/** Write the verdicts into the copied matrix: cells stay, what they say moves with the order. */
function showMatrix(table, names, short, result) {
  result.shown.forEach((a, i) => {
    const row = table.tBodies[0].rows[i];
    row.querySelector("bdi").textContent = short[a];
    table.tHead.rows[0].cells[i + 1].firstElementChild.title = names[a];
    result.shown.forEach((b, j) => {
      if (i === j) return;
      const cell = row.cells[j + 1];
      const { verdict } = result.verdict(a, b);
      if (cell.className !== verdict) {
        cell.className = verdict;
        cell.children[0].textContent = GLYPHS[verdict];
        cell.children[1].textContent = `${verdict}, `;
      }
      const gap = gapText(result, result.values[a] - result.values[b]);
      if (cell.children[2].textContent !== gap) cell.children[2].textContent = gap;
    });
  });
}
