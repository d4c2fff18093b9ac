/* The grid of cells to mend: arrow keys and Enter move up and down a column, Esc brings back what stood there. */
"use strict";

document.querySelectorAll("[data-grid]").forEach((grid) => {
  const step = (input, rows) => {
    const cell = input.closest("td");
    const row = cell.parentElement;
    const body = [...row.parentElement.children];
    const next = body[body.indexOf(row) + rows];
    return next?.children[cell.cellIndex]?.querySelector(".grid__input");
  };
  const moves = { ArrowDown: 1, ArrowUp: -1, Enter: 1 };

  grid.addEventListener("keydown", (event) => {
    const input = event.target.closest(".grid__input");
    if (!input || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "Escape") {
      input.value = input.defaultValue;
      input.select();
      return;
    }
    const rows = event.key === "Enter" && event.shiftKey ? -1 : moves[event.key];
    const next = rows && step(input, rows);
    if (next) {
      event.preventDefault();
      next.focus();
      next.select();
    } else if (event.key === "Enter") {
      event.preventDefault(); /* at the end of a column nothing is sent by accident; Ctrl+Enter or the button sends */
    }
  });
  grid.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      grid.closest("form").requestSubmit();
    }
  });
  grid.addEventListener("input", (event) => {
    const input = event.target.closest(".grid__input");
    input?.classList.toggle("grid__input--changed", input.value !== input.defaultValue);
  });
  grid.querySelector('[aria-invalid="true"]')?.focus({ preventScroll: true });
});
