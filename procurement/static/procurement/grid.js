/* The grid of cells to mend: arrow keys and Enter move up and down a column, Esc brings back what stood there.
   What is typed is kept on the server, cell by cell, until it is sent or forgotten. */
"use strict";

document.querySelectorAll("[data-grid]").forEach((grid) => {
  const step = (input, rows) => {
    const cell = input.closest("td");
    const row = cell.parentElement;
    const body = [...row.parentElement.children];
    const next = body[body.indexOf(row) + rows];
    return next?.children[cell.cellIndex]?.querySelector(".grid__input");
  };
  const form = grid.closest("form");
  const status = form.querySelector("[data-kept]");
  const asked = JSON.parse(form.elements.asked.value);
  const stood = (input) => input.dataset.was ?? input.defaultValue;
  const PAUSE = 800; /* milliseconds after the last key */
  const waiting = new Set();
  let timer = 0;

  const say = (words) => {
    if (status) {
      status.textContent = words;
    }
  };

  const keep = async () => {
    clearTimeout(timer);
    if (!waiting.size) {
      return;
    }
    const cells = [...waiting];
    waiting.clear();
    const body = new URLSearchParams({ version: form.elements.version.value });
    body.set("asked", JSON.stringify({
      headers: asked.headers,
      was: Object.fromEntries(cells.map((input) => [input.name, asked.was[input.name] ?? ""])),
    }));
    cells.forEach((input) => body.set(input.name, input.value));
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
    try {
      const answer = await fetch(grid.dataset.keep, { method: "POST", body, headers, keepalive: true, redirect: "manual" });
      if (answer.status === 204 || answer.status === 409) {
        say(answer.status === 204 ? "Kept, not sent yet." : await answer.text());
        if (!waiting.size) {
          form.dispatchEvent(new Event("kept"));
        }
        return;
      }
      say("Not kept: sign in in a new tab, then go on here.");
    } catch {
      say("Not kept: the service does not answer.");
    }
    cells.forEach((input) => waiting.add(input));
  };

  const moves = { ArrowDown: 1, ArrowUp: -1, Enter: 1 };

  grid.addEventListener("keydown", (event) => {
    const input = event.target.closest(".grid__input");
    if (!input || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "Escape") {
      input.value = stood(input);
      input.dispatchEvent(new Event("input", { bubbles: true }));
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
    if (!input) {
      return;
    }
    input.classList.toggle("grid__input--changed", input.value !== stood(input));
    waiting.add(input);
    clearTimeout(timer);
    timer = setTimeout(keep, PAUSE);
  });
  grid.addEventListener("change", () => keep());
  window.addEventListener("pagehide", () => keep());
  form.addEventListener("submit", () => waiting.clear()); /* it is sent, not left */
  const bad = grid.querySelector('[aria-invalid="true"]');
  if (bad) {
    const box = grid.closest('[role="region"]');
    const cell = bad.closest("td");
    if (box && cell.offsetLeft + cell.offsetWidth > box.clientWidth) {
      box.scrollLeft = cell.offsetLeft - grid.rows[0].cells[0].offsetWidth; /* a narrow window shows what is to be mended */
    }
    bad.focus({ preventScroll: true });
  }
});
