// Tables of pairs by keyboard: one stop for Tab, arrows from cell to cell, the answer in words below.

/** Let the cells of a matrix be walked through; `sentence` says what a cell means. */
function walkable(table, detail, sentence) {
  const cells = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1));
  const at = new Map(cells.flatMap((row, i) => row.map((cell, j) => [cell, [i, j]])));
  let current = cells[0][1];
  table.setAttribute("role", "grid");
  for (const cell of at.keys()) cell.tabIndex = -1;
  current.tabIndex = 0;

  const tell = (cell) => {
    const [i, j] = at.get(cell);
    detail.textContent = i === j ? "" : sentence(cell, i, j);
  };
  const go = (cell) => {
    current.tabIndex = -1;
    current = cell;
    current.tabIndex = 0;
    current.focus();
  };
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  table.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step || !at.has(event.target)) return;
    const [i, j] = at.get(event.target);
    const next = cells[i + step[0]]?.[j + step[1]];
    if (next) go(next);
    event.preventDefault();
  });
  const cellOf = (event) => (event.target.closest ? event.target.closest("td") : null);
  table.addEventListener("focusin", (event) => at.has(cellOf(event)) && tell(cellOf(event)));
  table.addEventListener("mouseover", (event) => at.has(cellOf(event)) && tell(cellOf(event)));
  table.addEventListener("click", (event) => at.has(cellOf(event)) && go(cellOf(event)));
}
