"use strict";
// The page is complete without this script, which sorts tables, copies puzzles, and switches the theme.
(() => {
  const button = (text, name) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = name;
    made.textContent = text;
    return made;
  };

  const value = (row, column) => {
    const cell = row.cells[column];
    return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent.trim();
  };
  // Cells without a number come last in both orders.
  const compare = (a, b, descending) => {
    const numbers = [typeof a === "number", typeof b === "number"];
    if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1;
    const order = numbers[0] ? a - b : a.localeCompare(b, undefined, { numeric: true });
    return descending ? -order : order;
  };
  for (const heading of document.querySelectorAll("table.sortable thead th")) {
    const body = heading.closest("table").tBodies[0];
    const column = heading.cellIndex;
    const sort = button(heading.textContent, "");
    heading.replaceChildren(sort);
    sort.addEventListener("click", () => {
      // Numbers are sorted with the largest first.
      const before = heading.getAttribute("aria-sort");
      const descending = before ? before === "ascending" : heading.classList.contains("n");
      const rows = [...body.rows].sort((a, b) => compare(value(a, column), value(b, column), descending));
      body.append(...rows);
      for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    });
  }

  const copy = async (code) => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      getSelection().selectAllChildren(code);
      return document.execCommand("copy");
    }
  };
  for (const code of document.querySelectorAll("code.string")) {
    const made = button("Copy the puzzle", "copy");
    made.setAttribute("aria-live", "polite");
    code.after(made);
    made.addEventListener("click", async () => {
      made.textContent = (await copy(code)) ? "Copied" : "Press Ctrl+C";
      setTimeout(() => { made.textContent = "Copy the puzzle"; }, 2000);
    });
  }

  const themes = ["system", "light", "dark"];
  const chosen = button("Theme: system", "theme");
  chosen.addEventListener("click", () => {
    const root = document.documentElement;
    const next = themes[(themes.indexOf(root.dataset.theme || "system") + 1) % themes.length];
    if (next === "system") delete root.dataset.theme;
    else root.dataset.theme = next;
    chosen.textContent = `Theme: ${next}`;
  });
  document.querySelector(".top").append(chosen);
})();
