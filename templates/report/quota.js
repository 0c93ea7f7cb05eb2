"use strict";
(() => {
  const form = document.getElementById("filter");
  const text = document.getElementById("text");
  const shown = document.getElementById("shown");
  const groups = [...document.querySelectorAll(".groups tbody")].map((body) => ({
    body, name: body.dataset.name.toLowerCase(), above: null, button: null, folded: false, matches: true, open: true,
  }));
  const byId = new Map(groups.map((group) => [group.body.id, group]));
  for (const group of groups) group.above = byId.get(group.body.dataset.parent) ?? null;

  function show() {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const group of groups) {
      group.matches = wanted.every((word) => group.name.includes(word));
      group.open = group.matches;
      count += group.matches ? 1 : 0;
    }
    // A group is shown with all that it lies in; what is above it comes before it.
    for (const group of [...groups].reverse()) {
      if (group.open && group.above) group.above.open = true;
    }
    for (const { body, above, open } of groups) {
      body.hidden = wanted.length ? !open : above !== null && (above.body.hidden || above.folded);
    }
    shown.textContent = wanted.length ? `${count} of ${groups.length} groups match` : `${groups.length} groups`;
  }

  function fold(group, folded) {
    if (!group.button) return;
    group.folded = folded;
    group.button.setAttribute("aria-expanded", String(!folded));
    group.button.textContent = folded ? "+" : "\u2212";
  }

  function addButton(group) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", `Groups below ${group.body.dataset.name}`);
    button.addEventListener("click", () => { fold(group, !group.folded); show(); });
    group.button = button;
    group.body.querySelector("th").prepend(button);
    fold(group, false);
  }

  for (const group of groups) if ("open" in group.body.dataset) addButton(group);
  for (const [id, folded] of [["fold", true], ["unfold", false]]) {
    document.getElementById(id).addEventListener("click", () => { for (const group of groups) fold(group, folded); show(); });
  }
  for (const table of document.querySelectorAll(".groups.many")) {
    for (const group of groups) if (table.contains(group.body) && group.above) fold(group, true);
    table.classList.remove("many");
  }
  const columns = document.getElementById("columns");
  function showColumns(all) {
    columns.setAttribute("aria-pressed", String(all));
    for (const table of document.querySelectorAll(".groups")) table.classList.toggle("few", !all);
  }
  columns.addEventListener("click", () => showColumns(columns.getAttribute("aria-pressed") !== "true"));
  if (groups.length >= 2) showColumns(false);
  form.addEventListener("submit", (event) => event.preventDefault());
  text.addEventListener("input", show);
  form.hidden = groups.length < 2;
  show();
})();
