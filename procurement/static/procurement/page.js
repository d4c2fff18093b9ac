/* Small comforts; every page works without them. */
"use strict";

const typing = (element) => element.closest("input, select, textarea, [contenteditable]") !== null;

/* A refused form: its list of faults takes focus */
document.querySelector("[data-focus]")?.focus();

/* `/` goes to the search; it can be switched off in the account settings (data-keys on the page) */
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const open = document.querySelector("details[data-menu][open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
    return;
  }
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target);
  if (plain && event.key === "/" && document.documentElement.dataset.keys !== "off") {
    const search = document.querySelector("[data-search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
});

/* Menus close when the pointer goes elsewhere */
document.addEventListener("click", (event) => {
  document.querySelectorAll("details[data-menu][open]").forEach((menu) => {
    if (!menu.contains(event.target)) {
      menu.open = false;
    }
  });
});

/* Filters apply as soon as a choice is made; the Apply button is there without script */
document.querySelectorAll("form[data-filters]").forEach((form) => {
  form.addEventListener("change", (event) => {
    if (event.target.matches("select, input[type=checkbox], input[type=date]")) {
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", () => {
    form.querySelectorAll("input, select").forEach((input) => {
      if (input.value === "") {
        input.disabled = true;
      }
    });
  });
});

/* Typed but unsaved: warn before the page is left */
document.querySelectorAll("form[data-guard]").forEach((form) => {
  let changed = false;
  form.addEventListener("input", () => {
    changed = true;
  });
  const isSafe = () => {
    changed = false;
  };
  form.addEventListener("submit", isSafe);
  form.addEventListener("kept", isSafe); /* what was typed lies on the server */
  window.addEventListener("beforeunload", (event) => {
    if (changed) {
      event.preventDefault();
    }
  });
});

document.querySelectorAll("a[data-back]").forEach((link) => {
  link.addEventListener("click", (event) => {
    if (history.length > 1) {
      event.preventDefault();
      history.back();
    }
  });
});

document.querySelectorAll("[data-copy]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    button.querySelector("[data-copy-words]").textContent = "Copied";
  });
});
