// The report's page: reads the data in the file, draws the timeline, and shows what is selected. Nothing is loaded.
"use strict";
const D = JSON.parse(document.getElementById("data").textContent);
const LETTERS = { compile: "C", recompile: "R", reuse: "\u2713", eager_limit: "E", not_compiled: "\u2013", error: "!" };
const WORST = ["error", "not_compiled", "eager_limit", "recompile", "compile", "reuse"].map(n => D.outcomes.indexOf(n));
const RANK = []; WORST.forEach((o, i) => { RANK[o] = i; });
const S = { call: -1, axis: "call", from: 0, to: 1, filter: new Set(), search: "", tab: "calls" };
let C, R;                                       // columns of calls and runs

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-")) node.setAttribute(name, String(value));
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined)
    node.append(child instanceof Node ? child : String(child));
  return node;
}
const color = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const mark = o => el("span", { class: "mark", style: `background: var(--${D.outcomes[o]})`, title: D.words[o] }, LETTERS[D.outcomes[o]]);
function time(ns) {
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3]]) if (ns >= size) return (ns / size).toPrecision(3) + " " + unit;
  return Math.round(ns) + " ns";
}
const heading = text => el("th", { class: ["call", "time", "line", "failed", "cost"].includes(text) ? "num" : null }, text);
const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const version = a => a < 0 ? "" : `version ${D.artifacts[a].version} of ${D.codes[D.artifacts[a].code].title}${D.artifacts[a].owner ? ` (${D.artifacts[a].owner})` : ""}`;

async function columns(table) {
  const kinds = { i4: Int32Array, u1: Uint8Array, u2: Uint16Array, f8: Float64Array }, out = { length: table.length };
  for (const [name, [kind, text]] of Object.entries(table.columns)) {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const plain = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
    out[name] = new kinds[kind](await plain.arrayBuffer());
  }
  return out;
}
const firstArtifact = call => { const r = C.first_run[call]; return r < R.length ? R.artifact[r] : -1; };
const signature = call => { const r = C.first_run[call]; return r < R.length && R.signature[r] >= 0 ? D.signatures[R.signature[r]] : ""; };

// timeline

const GUTTER = 190, LANE = 26, TOP = 26;
let canvas, lanes = [];
function makeLanes() {
  const seen = new Set(R.code);
  lanes = D.codes.map((c, i) => i).filter(i => seen.has(i));
}
function limits() {
  if (S.axis === "call") return [0, Math.max(1, C.length)];
  return C.length ? [C.start[0], Math.max(C.start[0] + 1, C.end.reduce((a, b) => Math.max(a, b), 0))] : [0, 1];
}
function fit() { [S.from, S.to] = limits(); draw(); }
const xOf = v => GUTTER + (v - S.from) / (S.to - S.from) * (canvas.clientWidth - GUTTER - 8);
const valueAt = x => S.from + (x - GUTTER) / (canvas.clientWidth - GUTTER - 8) * (S.to - S.from);
function lower(column, n, value) {               // first index whose value is >= value
  let a = 0, b = n;
  while (a < b) { const m = (a + b) >> 1; if (column[m] < value) a = m + 1; else b = m; }
  return a;
}
function draw() {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = TOP + lanes.length * LANE + 6;
  canvas.style.height = height + "px"; canvas.width = width * ratio; canvas.height = height * ratio;
  const p = canvas.getContext("2d");
  p.scale(ratio, ratio); p.fillStyle = color("base"); p.fillRect(0, 0, width, height);
  p.font = "12px system-ui, sans-serif"; p.textBaseline = "middle";
  const span = S.to - S.from, step = niceStep(span / Math.max(2, (width - GUTTER) / 90), S.axis === "call");
  p.fillStyle = color("soft");
  const middle = S.axis === "call" && (width - GUTTER) / span > 14 ? 0.5 : 0;
  for (let v = Math.ceil(S.from / step) * step; v <= S.to - 2 * middle + 1e-9; v += step) {
    const text = S.axis === "call" ? String(Math.round(v)) : time(v), half = p.measureText(text).width / 2, x = xOf(v + middle);
    p.fillText(text, Math.min(Math.max(GUTTER, x - half), width - 2 * half - 2), TOP / 2);
    if (!middle) p.fillRect(x, TOP - 6, 1, 6);
  }
  const columns = Math.max(1, width - GUTTER - 8), rows = new Map(lanes.map((code, i) => [code, i]));
  const worst = new Uint8Array(lanes.length * (columns + 1)).fill(255);
  lanes.forEach((code, i) => {
    const y = TOP + i * LANE;
    p.fillStyle = color("track"); p.fillRect(GUTTER, y + 2, columns, LANE - 4);
    p.fillStyle = color(D.codes[code].resume ? "soft" : "text");
    let title = D.codes[code].title;
    while (title.length > 4 && p.measureText(title).width > GUTTER - 20) title = title.slice(0, -2) + "\u2026";
    p.fillText(title, D.codes[code].resume ? 20 : 8, y + LANE / 2);
  });
  const a = Math.max(0, S.axis === "call" ? lower(R.call, R.length, Math.floor(S.from)) : 0);
  for (let r = a; r < R.length; r++) {
    const low = S.axis === "call" ? R.call[r] : R.start[r], high = S.axis === "call" ? low + 1 : R.end[r];
    if (S.axis === "call" && low > S.to) break;
    if (high < S.from || low > S.to || (S.filter.size && !S.filter.has(R.outcome[r]))) continue;
    const lane = rows.get(R.code[r]), rank = RANK[R.outcome[r]];
    const gap = (high - low) / span * columns > 4 ? 1 : 0;
    const x0 = Math.max(0, Math.floor((low - S.from) / span * columns));
    const x1 = Math.min(columns, Math.max(x0 + 1, Math.floor((high - S.from) / span * columns) - gap));
    for (let x = x0, at = lane * (columns + 1) + x0; x < x1; x++, at++) if (rank < worst[at]) worst[at] = rank;
  }
  const fills = WORST.map(o => pattern(p, D.outcomes[o]));
  lanes.forEach((_, i) => {
    for (let x = 0, at = i * (columns + 1); x < columns;) {
      const rank = worst[at]; let n = 1;
      while (x + n < columns && worst[at + n] === rank) n++;
      if (rank < 255) { p.fillStyle = fills[rank]; p.fillRect(GUTTER + x, TOP + i * LANE + 2, n, LANE - 4); }
      x += n; at += n;
    }
  });
  if (S.call >= 0) {
    const [low, high] = S.axis === "call" ? [S.call, S.call + 1] : [C.start[S.call], C.end[S.call]];
    const x = Math.max(GUTTER, xOf(low));
    p.strokeStyle = color("accent"); p.lineWidth = 2;
    if (xOf(high) > GUTTER) p.strokeRect(x - 1, 1, Math.max(3, xOf(high) - x + 1), height - 3);
  }
}
function niceStep(rough, whole) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough);
  return whole ? Math.max(1, step) : step;
}
function pattern(p, name) {                      // a stripe per kind, so that colour is not the only sign
  const tile = document.createElement("canvas"); tile.width = tile.height = 8;
  const t = tile.getContext("2d"), lines = { recompile: [[0, 8, 8, 0]], eager_limit: [[0, 4, 8, 4], [4, 0, 4, 8]],
    not_compiled: [[0, 4, 8, 4]], error: [[0, 0, 8, 8], [0, 8, 8, 0]] }[name] || [];
  t.fillStyle = color(name); t.fillRect(0, 0, 8, 8); t.strokeStyle = color("base"); t.globalAlpha = 0.55;
  for (const [a, b, c, d] of lines) { t.beginPath(); t.moveTo(a, b); t.lineTo(c, d); t.stroke(); }
  return p.createPattern(tile, "repeat");
}
function zoom(factor, at) {
  const [low, high] = limits(), least = S.axis === "call" ? 2 : 1000;
  const span = Math.min(high - low, Math.max(least, (S.to - S.from) / factor)), share = (at - S.from) / (S.to - S.from);
  S.from = Math.min(Math.max(low, at - share * span), high - span); S.to = S.from + span; draw();
}
function pan(by) {
  const [low, high] = limits(), span = S.to - S.from;
  S.from = Math.min(Math.max(low, S.from + by), Math.max(low, high - span)); S.to = S.from + span; draw();
}
function callAt(x) {
  const v = valueAt(x);
  if (S.axis === "call") return v >= 0 && v < C.length ? Math.floor(v) : -1;
  const i = lower(C.start, C.length, v);
  for (const c of [i - 1, i]) if (c >= 0 && c < C.length && C.start[c] <= v + (S.to - S.from) / 200 && C.end[c] >= v - (S.to - S.from) / 200) return c;
  return -1;
}
function select(call) {
  if (call < 0 || call >= C.length) return;
  S.call = call;
  const [low, high] = S.axis === "call" ? [call, call + 1] : [C.start[call], C.end[call]];
  const span = S.to - S.from;
  if (low < S.from) { S.from = low; S.to = low + span; } else if (high > S.to) { S.to = high; S.from = high - span; }
  draw(); showCall(); showTab();
}
function step(by) {
  for (let c = S.call + by; c >= 0 && c < C.length; c += by)
    if (!S.filter.size || S.filter.has(C.outcome[c])) return select(c);
}

// panes

function showCall() {
  const box = document.getElementById("call"), c = S.call;
  if (c < 0) { box.replaceChildren(el("p", { class: "soft" }, "Click a call in the timeline or in the list.")); return; }
  const parts = [el("h2", {}, mark(C.outcome[c]), `Call ${c}: ${D.words[C.outcome[c]]}`),
    el("div", { class: "mono" }, `${D.codes[C.code[c]].title}(${signature(c)})`),
    el("div", { class: "soft" }, [`took ${time(C.end[c] - C.start[c])}`, C.line[c] ? ` \u00b7 called on line ${C.line[c]}` : ""])];
  for (let r = C.first_run[c]; r < C.first_run[c] + C.n_runs[c] && r < R.length; r++)
    parts.push(el("div", { style: `margin-left: ${R.depth[r] * 16}px` }, mark(R.outcome[r]), D.codes[R.code[r]].title,
      R.artifact[r] >= 0 ? `, version ${D.artifacts[R.artifact[r]].version}` : "", ` \u00b7 ${time(R.end[r] - R.start[r])}`));
  for (const miss of D.misses[c] || []) {
    parts.push(el("h3", {}, `Why no kept version of ${D.codes[miss.code].title} fitted (nearest first)`));
    parts.push(el("table", {}, el("tr", {}, ["version", "value", "needed", "this call"].map(heading)),
      miss.groups.map(([a, rows]) => rows.map(([place, expected, seen], i) => el("tr", { class: "failed" },
        el("td", {}, i ? "" : `version ${D.artifacts[a].version}`), el("td", { class: "mono" }, place),
        el("td", { class: "mono" }, expected), el("td", { class: "mono seen" }, seen))))));
  }
  for (const d of D.decisions.filter(d => d.call === c)) parts.push(el("p", {}, d.text));
  for (const e of D.errors.filter(e => e.call === c)) parts.push(el("p", { class: "failed" }, e.text));
  const bill = new Map();
  for (const [call, name, ns] of D.phases) if (call === c) bill.set(name, (bill.get(name) || 0) + ns);
  if (bill.size) parts.push(el("h3", {}, "Compile time"), el("table", {}, [...bill].map(([name, ns]) =>
    el("tr", {}, el("td", {}, name), el("td", { class: "num" }, time(ns))))));
  box.replaceChildren(...parts);
}
const hit = (...texts) => !S.search || texts.some(t => String(t).toLowerCase().includes(S.search));
function callRows() {
  const rows = [], most = 400; let more = 0;
  for (let c = 0; c < C.length; c++) {
    if (S.filter.size && !S.filter.has(C.outcome[c])) continue;
    if (S.search && !hit(c, D.codes[C.code[c]].title, signature(c), D.words[C.outcome[c]],
        (D.misses[c] || []).map(m => m.groups.map(g => g[1].map(r => r[0]))).flat(4).join(" "))) continue;
    if (rows.length >= most && c !== S.call) { more++; continue; }
    rows.push(el("tr", { "data-call": c, class: c === S.call ? "pick" : null, onclick: () => select(c) },
      el("td", { class: "num" }, c), el("td", {}, mark(C.outcome[c]), D.words[C.outcome[c]]),
      el("td", {}, D.codes[C.code[c]].title), el("td", { class: "mono" }, signature(c)),
      el("td", {}, version(firstArtifact(c))), el("td", { class: "num" }, time(C.end[c] - C.start[c]))));
  }
  return [el("table", {}, el("tr", {}, ["call", "outcome", "function", "arguments", "version", "time"].map(heading)), rows),
    more ? el("p", { class: "soft" }, `and ${more} more: search, or filter by outcome`) : null];
}
function versionRows() {
  return D.artifacts.map((a, i) => {
    const guards = a.guards.filter(g => hit(...g, D.codes[a.code].title));
    if (S.search && !guards.length) return null;
    return el("details", { open: !!S.search }, el("summary", {}, version(i), ` \u00b7 ran ${a.uses}x \u00b7 compiled in ${time(a.ns)}`,
        a.dims.map(([place, symbol]) => ` \u00b7 ${place} = ${symbol}`)),
      el("table", {}, el("tr", {}, ["value", "condition", "kind", "line", "failed", "cost"].map(heading)),
        guards.map(([kind, origin, condition, line, failed, ns]) => el("tr", { class: failed ? "failed" : null },
          el("td", { class: "mono" }, origin), el("td", { class: "mono" }, condition), el("td", { class: "soft" }, kind),
          el("td", { class: "num" }, line || ""), el("td", { class: "num" }, failed || ""),
          el("td", { class: "num", title: "what its test takes in a reused call" }, ns > 0 ? time(ns) : "")))),
      [["Graph", a.graph], ["Residual Python", a.python], ...a.kernels.map(k => [`Kernel ${k.name}`, k.source])]
        .filter(([, text]) => text).map(([title, text]) => el("details", {}, el("summary", {}, title), el("pre", {}, text))));
  });
}
function breakRows() {
  const rows = [...D.breaks.map(b => ["graph break", b]), ...D.notCompiled.map(b => ["never compiled", b])]
    .filter(([kind, b]) => hit(kind, b.text, b.hint || "", D.codes[b.code].title));
  return rows.length ? el("table", {}, el("tr", {}, ["what", "function", "line", "why", "what helps"].map(heading)),
    rows.map(([kind, b]) => el("tr", { "data-go": true, onclick: () => select(b.call) }, el("td", {}, kind), el("td", {}, D.codes[b.code].title),
      el("td", { class: "num" }, b.line || ""), el("td", {}, b.text), el("td", {}, b.hint || "")))) : el("p", { class: "soft" }, "None.");
}
function sourceRows() {
  const files = Object.entries(D.sources);
  if (!files.length) return el("p", { class: "soft" }, "The source was left out of this report.");
  return files.map(([file, text]) => {
    const notes = new Map();
    const note = (line, words) => { if (line) notes.set(line, [...new Set([...(notes.get(line) || []), words])]); };
    D.breaks.filter(b => b.file === file).forEach(b => note(b.line, `break: ${b.text}`));
    D.notCompiled.filter(b => b.file === file).forEach(b => note(b.line, `not compiled: ${b.text}`));
    D.artifacts.filter(a => D.codes[a.code].file === file).forEach(a => a.guards.forEach(([, origin, , line, failed]) => { if (failed) note(line, `${origin} changed`); }));
    return el("details", { open: files.length === 1 }, el("summary", {}, file.split(/[\\/]/).pop()),
      el("div", { class: "source mono" }, text.split("\n").map((line, i) => [el("span", { class: "no" }, i + 1),
        el("span", { class: "note", title: (notes.get(i + 1) || []).join("\n") }, notes.has(i + 1) ? "\u25c6" : ""), el("span", { class: "text" }, line)])));
  });
}
const TABS = { calls: ["Calls", callRows], versions: ["Versions and guards", versionRows], breaks: ["Graph breaks", breakRows], source: ["Source", sourceRows] };
function showTab() {
  for (const name of Object.keys(TABS)) document.getElementById("tab-" + name).setAttribute("aria-pressed", name === S.tab);
  document.getElementById("pane").replaceChildren(...[TABS[S.tab][1]()].flat(Infinity).filter(Boolean));
}
function showChips() {
  document.getElementById("chips").replaceChildren(...D.outcomes.map((name, o) => D.counts[name] ? el("button", {
    "aria-pressed": S.filter.has(o), title: "Show only these calls", onclick: () => {
      S.filter.has(o) ? S.filter.delete(o) : S.filter.add(o); showChips(); draw(); showTab(); } },
    mark(o), `${D.counts[name]} ${D.words[o]}`) : null).filter(Boolean));
}
function build() {
  document.querySelector("header").append(el("h1", {}, D.name), el("div", { class: "soft" },
    [count(C.length, "call"), count(D.artifacts.length, "version"), `recorded ${D.started}`, `Python ${D.python}`, D.state].join(" \u00b7 ")),
    el("div", { class: "bar", id: "chips" }));
  if (D.problems.length) document.querySelector("header").append(el("p", { class: "failed" }, D.problems.join(" ")));
  for (const n of D.notes) document.querySelector("header").append(n.calls.length
    ? el("button", { class: "note", title: "Show its first call", onclick: () => select(n.calls[0]) }, n.text) : el("p", { class: "soft" }, n.text));
  canvas = el("canvas", { id: "timeline", tabindex: 0, "aria-label": "Timeline of calls; arrow keys step, plus and minus zoom" });
  const axis = (name, text) => el("button", { id: "axis-" + name, "aria-pressed": name === S.axis, onclick: () => {
    S.axis = name; for (const n of ["call", "time"]) document.getElementById("axis-" + n).setAttribute("aria-pressed", n === name); fit(); } }, text);
  document.querySelector("main").append(
    el("section", {}, el("h2", {}, "What led to versions"), D.causes.length ? el("div", { class: "scroll causes" }, el("table", {}, D.causes.map(c => el("tr", {
      "data-go": true, onclick: () => select(c.calls[0]) }, el("td", {}, c.text, c.line ? el("pre", {}, c.line) : null),
      el("td", { class: "num" }, time(c.ns)))))) : el("p", { class: "soft" }, "Nothing was compiled again.")),
    el("section", {}, el("div", { class: "bar" }, el("h2", { style: "margin: 0" }, "Timeline"), axis("call", "Calls"), axis("time", "Time"),
      el("button", { onclick: () => zoom(1.6, (S.from + S.to) / 2) }, "Zoom in"), el("button", { onclick: () => zoom(1 / 1.6, (S.from + S.to) / 2) }, "Zoom out"),
      el("button", { onclick: fit }, "Show all"), el("span", { class: "soft" }, "wheel zooms, drag moves, click selects, arrow keys step")), canvas),
    el("section", { class: "halves" }, el("div", { id: "call" }), el("div", {},
      el("div", { class: "bar" }, Object.entries(TABS).map(([name, [title]]) => el("button", { id: "tab-" + name, onclick: () => { S.tab = name; showTab(); } }, title)),
        el("span", { class: "grow" }), el("input", { type: "search", placeholder: "Search calls, values, guards\u2026", "aria-label": "Search",
          oninput: e => { S.search = e.target.value.trim().toLowerCase(); showTab(); } })),
      el("div", { id: "pane", class: "scroll" }))));
  let drag = null, moved = false;
  canvas.addEventListener("wheel", e => { e.preventDefault(); if (e.shiftKey) pan(e.deltaY / canvas.clientWidth * (S.to - S.from));
    else zoom(1.0015 ** -e.deltaY, valueAt(Math.max(GUTTER, e.offsetX))); }, { passive: false });
  canvas.addEventListener("pointerdown", e => { drag = e.offsetX; moved = false; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", e => { if (drag !== null && Math.abs(e.offsetX - drag) > 3) { moved = true;
      pan((drag - e.offsetX) / (canvas.clientWidth - GUTTER) * (S.to - S.from)); drag = e.offsetX; }
    const c = callAt(e.offsetX); canvas.title = c >= 0 && e.offsetX > GUTTER ? `Call ${c}: ${D.codes[C.code[c]].title}(${signature(c)}) ${D.words[C.outcome[c]]}` : ""; });
  canvas.addEventListener("pointerup", e => { if (!moved && e.offsetX > GUTTER) select(callAt(e.offsetX)); drag = null; });
  canvas.addEventListener("keydown", e => {
    const keys = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), "+": () => zoom(1.6, (S.from + S.to) / 2), "=": () => zoom(1.6, (S.from + S.to) / 2),
      "-": () => zoom(1 / 1.6, (S.from + S.to) / 2), 0: fit, Home: () => select(0), End: () => select(C.length - 1) };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });
  window.addEventListener("resize", draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  showChips(); makeLanes(); fit(); showTab(); showCall();
  const first = D.causes.length && D.causes[0].calls.length ? D.causes[0].calls[0] : 0;
  select(first);
}
(async () => { C = await columns(D.calls); R = await columns(D.runs); build(); })();
