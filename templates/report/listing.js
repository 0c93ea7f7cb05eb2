"use strict";
// A long table: a part of its rows at a time, sorted by a column and searched by words.
(() => {
  const PART = 50;

  function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function begin(box) {
    const table = box.querySelector("table");
    const data = document.getElementById(`${box.dataset.table}-data`);
    if (!table || !data) return;
    const rows = JSON.parse(data.textContent).map((cells) => {
      const shown = cells.map((cell) => Array.isArray(cell) ? cell[0] : cell);
      return { shown, keys: cells.map((cell) => Array.isArray(cell) ? cell[1] : cell), words: null };
    });
    const heads = [...table.tHead.rows[0].cells];
    const names = heads.map((head) => head.textContent);
    let found = rows, first = 0, column = -1, down = false;

    const tools = element("div", "", { class: "tools" });
    const label = element("label", "Containing ");
    const text = element("input", "", { type: "search", autocomplete: "off", spellcheck: "false" });
    const before = element("button", "Previous", { type: "button" });
    const after = element("button", "Next", { type: "button" });
    const status = element("p", "", { role: "status" });
    label.append(text);
    tools.append(label, before, after, status);

    function show() {
      const body = document.createElement("tbody");
      body.setAttribute("role", "rowgroup");
      for (const { shown } of found.slice(first, first + PART)) {
        const row = element("tr", "", { role: "row" });
        shown.forEach((cell, index) => {
          const made = index
            ? element("td", cell, { role: "cell", "data-label": names[index] })
            : element("th", cell, { role: "rowheader", scope: "row" });
          if (heads[index].classList.contains("number")) made.classList.add("number");
          row.append(made);
        });
        body.append(row);
      }
      table.tBodies[0].replaceWith(body);
      before.disabled = first === 0;
      after.disabled = first + PART >= found.length;
      const last = Math.min(first + PART, found.length);
      status.textContent = found.length ? `${first + 1} to ${last} of ${found.length.toLocaleString("en")}` : "none";
    }

    function search() {
      const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      found = rows.filter((row) => {
        row.words ??= row.shown.join(" ").toLowerCase();
        return wanted.every((word) => row.words.includes(word));
      });
      first = 0;
      sort();
    }

    function sort() {
      if (column >= 0) {
        const sign = down ? -1 : 1;
        found = [...found].sort((a, b) => {
          const [one, other] = [a.keys[column], b.keys[column]];
          if (typeof one === "number" && typeof other === "number") return sign * (one - other);
          if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
          return sign * one.localeCompare(other, "en", { numeric: true });
        });
      }
      show();
    }

    heads.forEach((head, index) => {
      const button = element("button", names[index], { type: "button" });
      button.addEventListener("click", () => {
        down = column === index ? !down : head.classList.contains("number");
        column = index;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        first = 0;
        sort();
      });
      head.replaceChildren(button);
    });
    before.addEventListener("click", () => { first -= PART; show(); });
    after.addEventListener("click", () => { first += PART; show(); });
    text.addEventListener("input", search);
    box.querySelector(".more").remove();
    box.prepend(tools);
    show();
  }

  for (const box of document.querySelectorAll(".paged")) begin(box);
})();
