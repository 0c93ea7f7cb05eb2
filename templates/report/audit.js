"use strict";
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const list = document.getElementById("list");
  const text = document.getElementById("text");
  const order = document.getElementById("order");
  const shown = document.getElementById("shown");
  const findings = [...list.children].map((row) => ({ row, words: row.textContent.toLowerCase() }));

  function filter() {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = new Set([...form.querySelectorAll("[name=severity]:checked")].map((box) => box.value));
    let count = 0;
    for (const { row, words } of findings) {
      row.hidden = !severities.has(row.dataset.severity) || !wanted.every((word) => words.includes(word));
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = `${count} of ${findings.length} shown`;
  }

  function sort() {
    const key = order.value;
    const numeric = key === "rank" || key === "count";
    // What is equal keeps the order in which it was written: the worst first.
    const sorted = findings.map(({ row }) => row).sort((a, b) => numeric
      ? b.dataset[key] - a.dataset[key]
      : a.dataset[key].localeCompare(b.dataset[key], "en", { numeric: true }));
    list.append(...sorted);
  }

  function copyButton(fix) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(fix);
      try {
        await navigator.clipboard.writeText(fix.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    fix.before(button);
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  text.addEventListener("input", filter);
  form.addEventListener("change", filter);
  order.addEventListener("change", sort);
  for (const fix of list.querySelectorAll(".fix pre")) copyButton(fix);
  form.hidden = false;
  filter();
})();
