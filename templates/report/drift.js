"use strict";
(() => {
  const form = document.getElementById("filter");
  const lists = [...document.querySelectorAll(".groups tbody, .plots")];
  if (!form || !lists.length) return;
  const text = document.getElementById("text");
  const order = document.getElementById("order");
  const shown = document.getElementById("shown");
  const entries = lists.flatMap((list) => [...list.children]);
  const rows = entries.filter((entry) => entry.matches("tr"));
  const booked = [...document.querySelectorAll(".ledger tbody tr")];

  function filter() {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const entry of [...entries, ...booked]) {
      const name = (entry.dataset.name ?? entry.dataset.group).toLowerCase();
      entry.hidden = !wanted.every((word) => name.includes(word));
    }
    shown.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} groups shown`;
  }

  function sort() {
    const key = order.value;
    for (const list of lists) {
      // What is equal keeps the order in which it was written: the one with most trouble first.
      const written = entries.filter((entry) => entry.parentElement === list);
      list.append(...written.sort((a, b) => key === "name"
        ? a.dataset.name.localeCompare(b.dataset.name, "en", { numeric: true })
        : b.dataset[key] - a.dataset[key]));
    }
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  text.addEventListener("input", filter);
  order.addEventListener("change", sort);
  form.hidden = false;
  filter();
})();
