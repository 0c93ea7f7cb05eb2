"use strict";
// The time axis of all groups: zoom, one group alone, and the numbers of a moment.
(() => {
  const data = document.getElementById("stack-data");
  if (!data) return;
  const { since, until, bands } = JSON.parse(data.textContent);
  const figure = document.getElementById("stack");
  const plot = figure.querySelector("svg.plot");
  const canvas = figure.querySelector("svg.drawn");
  const scale = figure.querySelector(".scale");
  const told = document.getElementById("at");
  const rows = [...document.querySelectorAll(".bands tbody tr")];
  const [HEIGHT, TALL, WIDE, SPACE] = [160, 260, 1000, "http://www.w3.org/2000/svg"];
  const count = bands[0].usage.length;
  const step = (until - since) / count;
  let first = 0, last = count, alone = -1, at = -1, begun = -1;

  const number = (value) => value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 1 });
  const sum = (key, index) => {
    const known = shown().map((band) => band[key][index]).filter((value) => value !== null);
    return known.length ? known.reduce((one, other) => one + other, 0) : null;
  };
  const shown = () => alone < 0 ? bands : [bands[alone]];
  const words = (moment, short) => new Date(moment * 1000).toLocaleString("en-GB", short
    ? { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }
    : { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });

  function round(most) {
    const size = 10 ** Math.floor(Math.log10(most / 4));
    const part = [1, 2, 2.5, 5, 10].map((factor) => factor * size).find((each) => each * 4 >= most * (1 - 1e-9));
    return Array.from({ length: Math.ceil(most / part - 1e-9) + 1 }, (_, index) => index * part);
  }

  function make(name, kind, attributes, parent = canvas) {
    const made = document.createElementNS(SPACE, name);
    made.setAttribute("class", kind);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  }

  function draw() {
    const all = Array.from({ length: count }, (_, index) => index).slice(first, last);
    const most = Math.max(0, ...all.map((index) => Math.max(sum("usage", index) ?? 0, sum("quota", index) ?? 0))) || 1;
    const marks = round(most), top = marks[marks.length - 1];
    const x = (index) => (WIDE * (index - first) / (last - first)).toFixed(1);
    const y = (value) => (HEIGHT * (1 - value / top)).toFixed(1);
    canvas.replaceChildren();
    let below = new Array(count).fill(0);
    for (const band of shown()) {
      const above = below.map((low, index) => low + (band.usage[index] ?? 0));
      const forth = all.map((index) => `${x(index)} ${y(above[index])} ${x(index + 1)} ${y(above[index])}`);
      const back = all.map((index) => `${x(index + 1)} ${y(below[index])} ${x(index)} ${y(below[index])}`).reverse();
      make("path", `band b${bands.indexOf(band)}`, { d: `M${forth.join("L")}L${back.join("L")}Z` });
      below = above;
    }
    let path = "", pen = "M";
    for (const index of all) {
      const value = sum("quota", index);
      if (value !== null) path += `${pen}${x(index)} ${y(value)}L${x(index + 1)} ${y(value)}`;
      pen = value === null ? "M" : "L";
    }
    make("path", "limit", { d: path });
    scale.replaceChildren(...marks.map((mark) => Object.assign(document.createElement("span"), { textContent: number(mark) })));
    for (const each of plot.querySelectorAll(":scope > line, :scope > text")) each.remove();
    for (const mark of marks) {
      const place = 8 + Number(y(mark)) * TALL / HEIGHT;
      plot.prepend(make("line", "grid", { x1: 0, x2: "100%", y1: place, y2: place }, plot));
    }
    const parts = plot.clientWidth < 500 ? 2 : 4;
    for (let part = 0; part < parts; part += 1) {
      const share = part / parts;
      const text = make("text", "", { x: `${100 * share}%`, y: 292, "text-anchor": part ? "middle" : "start" }, plot);
      text.textContent = words(since + (first + share * (last - first)) * step, true);
    }
    mark();
  }

  function mark() {
    for (const each of canvas.querySelectorAll(".cursor, .chosen")) each.remove();
    if (at < first || at >= last) { told.textContent = ""; return; }
    const place = WIDE * (at + .5 - first) / (last - first);
    make("line", "cursor", { x1: place, x2: place, y1: 0, y2: HEIGHT, "vector-effect": "non-scaling-stroke" });
    if (begun >= 0 && begun !== at) {
      const [one, other] = [begun, at].sort((a, b) => a - b).map((index) => WIDE * (index + .5 - first) / (last - first));
      make("rect", "chosen", { x: one, width: other - one, y: 0, height: HEIGHT });
    }
    const parts = shown().filter((band) => band.usage[at] !== null && band.usage[at] > 0)
      .map((band) => `${band.name} ${number(band.usage[at])}${band.quota[at] === null ? "" : ` of ${number(band.quota[at])}`}`);
    const seen = parts.length ? parts.join(", ") : "nobody looked, or nothing was used";
    told.textContent = `${words(since + (at + .5) * step, false)}: ${seen}`;
  }

  function zoom(from, to) {
    const wide = Math.min(count, Math.max(6, to - from));
    first = Math.min(Math.max(0, from), count - wide);
    last = first + wide;
    draw();
  }

  function move(how) {
    const wide = last - first, middle = at >= first && at < last ? at : (first + last) / 2;
    if (how === "in") zoom(Math.round(middle - wide / 4), Math.round(middle + wide / 4));
    if (how === "out") zoom(Math.round(middle - wide), Math.round(middle + wide));
    if (how === "earlier") zoom(first - Math.ceil(wide / 2), last - Math.ceil(wide / 2));
    if (how === "later") zoom(first + Math.ceil(wide / 2), last + Math.ceil(wide / 2));
    if (how === "all") { choose(-1); zoom(0, count); }
  }

  function choose(index) {
    alone = alone === index ? -1 : index;
    rows.forEach((row) => row.querySelector("button").setAttribute("aria-pressed", String(Number(row.dataset.band) === alone)));
    draw();
  }

  const under = (event) => {
    const box = plot.getBoundingClientRect();
    const share = Math.min(.9999, Math.max(0, (event.clientX - box.left) / box.width));
    return first + Math.floor(share * (last - first));
  };
  plot.addEventListener("pointermove", (event) => { at = under(event); mark(); });
  plot.addEventListener("pointerdown", (event) => { begun = under(event); });
  addEventListener("pointerup", (event) => {
    if (begun < 0) return;
    const [one, other] = [begun, under(event)].sort((a, b) => a - b);
    begun = -1;
    if (other - one > 1) zoom(one, other + 1);
    else mark();
  });
  plot.setAttribute("tabindex", "0");
  plot.setAttribute("focusable", "true");
  plot.addEventListener("keydown", (event) => {
    const step_ = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step_) at = Math.min(last - 1, Math.max(first, (at < first ? last : at) + step_));
    else if (event.key === "+") move("in");
    else if (event.key === "-") move("out");
    else return;
    event.preventDefault();
    mark();
  });
  rows.forEach((row) => {
    const name = row.querySelector(".name");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name.textContent;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => choose(Number(row.dataset.band)));
    name.replaceChildren(button);
  });
  const tools = document.getElementById("tools");
  for (const button of tools.querySelectorAll("button")) button.addEventListener("click", () => move(button.dataset.zoom));
  tools.hidden = false;
})();
