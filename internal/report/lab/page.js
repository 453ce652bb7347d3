"use strict";
// The page's plots, drawn from the document in #figures: retention, chaos,
// loss, ratios, profiles, episodes, gaps, traces, agreement. A plot is a list of marks
// in data coordinates on two axes; what every plot has (ticks, legend that
// toggles, linear or logarithmic, a tip with the values) is in plot().
(() => {
// Names come from sweeps and records: marks that could draw over the page are
// shown as escapes.
const printable = s => s.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, c => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
const figures = JSON.parse(document.getElementById("figures").textContent, (_, v) => typeof v === "string" ? printable(v) : v);
const cells = figures.cells || [];
const tip = document.getElementById("tip");
const svgNS = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...children) {
  const e = document.createElementNS(svgNS, name);
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

function html(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

// Three significant digits, as the tables have them.
function digits(v) {
  const a = Math.abs(v);
  return v === 0 ? "0" : v.toFixed(a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : 3);
}
const short = v => String(+v.toPrecision(3));
const percent = v => short(v * 100) + " %";
const ms = v => short(v * 1e3) + " ms";
const times = v => digits(v) + "×";
function rate(v) {
  const [scale, unit] = v >= 999.5e6 ? [1e9, "Gbit/s"] : v >= 999.5e3 ? [1e6, "Mbit/s"] : v >= 999.5 ? [1e3, "kbit/s"] : [1, "bit/s"];
  return digits(v / scale) + " " + unit;
}
const megabits = v => short(v / 1e6);

// A congestion control has the same colour everywhere.
const controls = ["cubic", "bbr"];
function colour(cc) {
  if (!controls.includes(cc)) controls.push(cc);
  return `var(--c${controls.indexOf(cc) % 8})`;
}

// Shapes tell curves of one colour apart: they are paths within ±4.
const shapes = ["M-3.6 0A3.6 3.6 0 1 0 3.6 0A3.6 3.6 0 1 0-3.6 0Z", "M-3.3-3.3H3.3V3.3H-3.3Z", "M0-4.4 4.2 3.2H-4.2Z", "M0-4.6 4.2 0 0 4.6-4.2 0Z", "M-4-1.3H-1.3V-4H1.3V-1.3H4V1.3H1.3V4H-1.3V1.3H-4Z", "M0 4.4 4.2-3.2H-4.2Z"];
const dashes = ["", "6 3", "2 3", "8 3 2 3"];

// An axis maps data to [0, 1] and says its ticks.
function axis(spec, values) {
  let low = spec.min ?? Math.min(...values), high = spec.max ?? Math.max(...values);
  if (spec.log) {
    low = Math.max(low, Number.MIN_VALUE);
    if (spec.min === undefined) low /= 1.12;
    if (spec.max === undefined) high *= 1.12;
    const span = Math.log(high / low) || 1;
    const ticks = [];
    const decades = Math.log10(high / low);
    const steps = decades > 3 ? [1] : decades > 1.3 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
    for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++)
      for (const s of steps) if (s * 10 ** e >= low && s * 10 ** e <= high) ticks.push(s * 10 ** e);
    return { at: v => Math.log(Math.max(v, low) / low) / span, has: v => v >= low && v <= high, ticks };
  }
  if (spec.min === undefined && low > 0) low = 0;
  if (!(high > low)) high = low + 1;
  if (spec.max === undefined) high += (high - low) * 0.04;
  const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find(m => m * power >= raw);
  const ticks = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) ticks.push(+v.toPrecision(12));
  return { at: v => (v - low) / (high - low), has: v => v >= low && v <= high, ticks };
}

// A plot is {title, x, y, series, rows}. A series has a name, a colour, marks
// ({x, y, low, high, tip}), and may have lines, runs, rings, bands and guides. One
// with another series is shown with it and has no key.
// rows names the lines of a plot whose y is a list of things.
function plot(into, spec) {
  const head = html("div", { class: "head" }, html("h3", {}, spec.title));
  const box = html("div", { class: spec.wide ? "plot wide" : "plot" }, head);
  const keys = html("div", { class: "legend" });
  let drawn = svg("svg", {});
  const hidden = new Set();
  const draw = () => {
    const next = render(spec, hidden, Math.max(300, box.clientWidth || 640));
    drawn.replaceWith(next);
    drawn = next;
  };
  // Many curves are named on a line for each congestion control, so that the eye
  // finds one by its colour first.
  const named = spec.series.filter(s => !s.with), parts = [...group(named, s => s.name.split(", ")[0])];
  const apart = named.length > 4 && parts.length > 1 && parts.length < named.length;
  if (named.length > 1) for (const [first, of] of apart ? parts : [["", named]]) {
    const row = html("div", { class: "keys" });
    if (apart) row.append(html("span", { class: "of" }, first));
    for (const s of of) row.append(key(s, apart ? s.name.slice(first.length + 2) || s.name : s.name, hidden, draw));
    keys.append(row);
  }
  const switched = spec.rows ? "x" : "y";
  if (spec[switched].scales) {
    const words = () => spec[switched].log ? "logarithmic: make linear" : "linear: make logarithmic";
    const b = html("button", { type: "button", class: "scale" }, words());
    b.onclick = () => { spec[switched].log = !spec[switched].log; b.textContent = words(); draw(); };
    head.append(b);
  }
  box.append(keys, drawn);
  if (spec.note) box.append(html("p", { class: "note" }, spec.note));
  into.append(box);
  draw();
  let wide = box.clientWidth; // a plot's own height is no reason to draw it again
  new ResizeObserver(() => { if (box.clientWidth !== wide) { wide = box.clientWidth; requestAnimationFrame(draw); } }).observe(box);
}

// key is the legend's button of a series: it hides and shows it.
function key(s, name, hidden, draw) {
  const sample = svg("svg", { viewBox: "0 0 30 12", "aria-hidden": "true" });
  if (!s.markOnly) sample.append(svg("path", { d: "M1 6H29", class: "line", stroke: s.colour, "stroke-dasharray": s.dash || "" }));
  if (s.shape) sample.append(svg("path", { d: s.shape, transform: "translate(15 6)", fill: s.colour }));
  const b = html("button", { type: "button", "aria-pressed": "true", "aria-label": s.name }, sample, name);
  b.onclick = () => {
    hidden.has(s.name) ? hidden.delete(s.name) : hidden.add(s.name);
    b.setAttribute("aria-pressed", String(!hidden.has(s.name)));
    draw();
  };
  return b;
}

function render(spec, hidden, width) {
  const shown = spec.series.filter(s => !hidden.has(s.with || s.name));
  const letter = 5.9; // the width of a tick's, roughly
  const left = spec.rows ? Math.min(Math.max(...spec.rows.map(r => r.length)) * letter + 14, width * 0.45) : 46, right = 10, top = 8, bottom = 40;
  const height = spec.rows ? top + bottom + spec.rows.length * 24 : spec.height || Math.min(380, Math.max(250, width * 0.58));
  const xs = [], ys = [], ends = [];
  for (const s of spec.series) for (const list of [s.marks, s.runs, s.rings, ...(s.lines || [])]) for (const p of list || []) {
    xs.push(p.x); ys.push(p.y);
    if (p.low !== undefined) ends.push(p.low, p.high);
  }
  const usable = (values, log) => { const v = values.filter(x => Number.isFinite(x) && (!log || x > 0)); return v.length ? v : [1]; };
  // The interval of two runs can be a hundred times as long as they are apart:
  // ends stretch an axis a little, and are cut off at its own.
  const stretched = (values, log) => {
    const v = usable(values, log), low = Math.min(...v), high = Math.max(...v), room = (high - low) / 5;
    return v.concat(ends.map(e => log ? Math.min(Math.max(e, low / 1.5), high * 1.5) : Math.min(Math.max(e, low - room), high + room)));
  };
  const xAxis = axis(spec.x, (spec.rows ? stretched : usable)(xs, spec.x.log));
  const yAxis = spec.rows ? { at: v => 1 - (v + 0.5) / spec.rows.length, ticks: [] } : axis(spec.y, stretched(ys, spec.y.log));
  const inside = v => Math.min(Math.max(v, 0), 1);
  const X = v => left + xAxis.at(v) * (width - left - right), Y = v => top + (1 - yAxis.at(v)) * (height - top - bottom);
  const endX = v => left + inside(xAxis.at(v)) * (width - left - right), endY = v => top + (1 - inside(yAxis.at(v))) * (height - top - bottom);
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": spec.title }, svg("title", {}, spec.title));
  const at = n => n.toFixed(1);

  let last = -1e9;
  for (const t of xAxis.ticks) {
    root.append(svg("path", { d: `M${at(X(t))} ${top}V${height - bottom}`, class: "grid" }));
    const label = (spec.x.format || short)(t);
    if (X(t) - last > 10 + label.length * 6.2) {
      root.append(svg("text", { x: at(X(t)), y: height - bottom + 15, class: "tick", "text-anchor": "middle" }, label));
      last = X(t);
    }
  }
  root.append(svg("text", { x: width - right, y: height - 6, class: "tick", "text-anchor": "end" }, spec.x.label + (spec.x.log ? ", logarithmic" : "")));
  last = 1e9;
  for (const t of yAxis.ticks) {
    root.append(svg("path", { d: `M${left} ${at(Y(t))}H${width - right}`, class: "grid" }));
    if (last - Y(t) > 13) {
      root.append(svg("text", { x: left - 9, y: at(Y(t) + 4), class: "tick", "text-anchor": "end" }, (spec.y.format || short)(t)));
      last = Y(t);
    }
  }
  if (!spec.rows) root.append(svg("text", { x: 0, y: height - 6, class: "tick" }, spec.y.label + (spec.y.log ? ", logarithmic" : "")));
  else spec.rows.forEach((name, i) => {
    const fits = Math.floor((left - 8) / letter);
    const text = svg("text", { x: left - 8, y: at(Y(i) + 4), class: "tick", "text-anchor": "end" }, name.length > fits ? name.slice(0, fits - 1) + "…" : name);
    text.append(svg("title", {}, name));
    root.append(svg("path", { d: `M${left} ${at(Y(i))}H${width - right}`, class: "grid" }), text);
  });
  for (const g of spec.guides || []) {
    if (g.y !== undefined && yAxis.has(g.y)) root.append(svg("path", { d: `M${left} ${at(Y(g.y))}H${width - right}`, class: "guide" }));
    if (g.x !== undefined && xAxis.has(g.x)) root.append(svg("path", { d: `M${at(X(g.x))} ${top}V${height - bottom}`, class: "guide" }));
  }
  for (const s of shown) for (const b of s.bands || []) {
    const from = X(b.from), to = X(b.to);
    root.append(svg("rect", { x: at(from), y: top, width: at(Math.max(1, to - from)), height: height - top - bottom, class: b.class || "band", fill: s.colour }));
  }
  const path = (points, step) => points.map((p, i) => i === 0 ? `M${at(X(p.x))} ${at(Y(p.y))}` : step ? `H${at(X(p.x))}V${at(Y(p.y))}` : `L${at(X(p.x))} ${at(Y(p.y))}`).join("");
  const targets = [];
  const noted = (element, p) => {
    if (p.tip) {
      element.append(svg("title", {}, p.tip));
      targets.push({ x: X(p.x), y: Y(p.y), tip: p.tip });
    }
    return element;
  };
  for (const s of shown) {
    for (const line of s.lines || []) {
      const points = line.filter(p => Number.isFinite(p.x) && Number.isFinite(p.y) && !(spec.y.log && p.y <= 0) && !(spec.x.log && p.x <= 0));
      if (points.length > 1) root.append(svg("path", { d: path(points, s.step), class: "line", stroke: s.colour, "stroke-dasharray": s.dash || "" }));
    }
    for (const p of s.runs || []) if (!(spec.y.log && p.y <= 0)) root.append(noted(svg("circle", { cx: at(X(p.x)), cy: at(Y(p.y)), r: spec.rows ? 3.6 : 2.4, class: "run", fill: s.colour }), p));
    for (const p of s.rings || []) root.append(noted(svg("circle", { cx: at(X(p.x)), cy: at(Y(p.y)), r: 5.6, class: "ring" }), p));
    for (const p of s.marks || []) {
      if (p.low !== undefined) root.append(svg("path", { d: spec.rows ? `M${at(endX(p.low))} ${at(Y(p.y))}H${at(endX(p.high))}` : `M${at(X(p.x))} ${at(endY(p.low))}V${at(endY(p.high))}`, class: "bar", stroke: s.colour }));
      root.append(noted(svg("path", { d: s.shape || shapes[0], transform: `translate(${at(X(p.x))} ${at(Y(p.y))})`, fill: s.colour, class: "mark" }), p));
    }
  }
  root.onpointermove = e => {
    const frame = root.getBoundingClientRect(), scale = width / frame.width;
    const px = (e.clientX - frame.left) * scale, py = (e.clientY - frame.top) * scale;
    let best = null, distance = 24;
    for (const t of targets) { const d = Math.hypot(t.x - px, t.y - py); if (d < distance) { best = t; distance = d; } }
    best ? showTip(best.tip, e) : hideTip();
  };
  root.onpointerleave = hideTip;
  return root;
}

function showTip(text, e) {
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = Math.max(8, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = Math.max(8, e.clientY + 18 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 12 : e.clientY + 18) + "px";
}
function hideTip() { tip.hidden = true; }

const within = i => i ? ` [${i[0] === null ? "…" : percent(i[0])}, ${i[1] === null ? "beyond" : percent(i[1])}]` : "";
const where = c => c.path + (c.traffic ? ", " + c.traffic : "") + "\n" + c.arm;
function cellTip(c) {
  const s = c.throughput;
  let text = `${where(c)}: ${rate(s.mean_bps)}, ${s.runs} run${s.runs > 1 ? "s" : ""}`;
  if (s.cv_ratio >= 0) text += `, CV ${percent(s.cv_ratio)}`;
  if (c.reference) text += `\narticle: ${rate(c.reference.mean_bps)} (here ${percent(c.reference.ratio)} of it)`;
  return text;
}
const runTip = (c, r) => `${where(c)}, run ${r.repetition + 1}: ${rate(r.throughput_bps)}\n${r.retransmits} resent, ${r.spurious} of them needless`;

// group keeps the order of first appearance.
function group(list, key) {
  const groups = new Map();
  for (const item of list) { const k = key(item); if (!groups.has(k)) groups.set(k, []); groups.get(k).push(item); }
  return groups;
}

// Names that tell cells apart: without what all those of a sweep have in
// common, which common() says.
const keysOf = c => c.path.split(",");
function common(list) {
  const [first, ...others] = list;
  return others.length ? keysOf(first).filter(k => others.every(c => keysOf(c).includes(k))) : [];
}
function namesOf(list, arms) {
  const sweeps = group(list, c => c.sweep || "");
  const shared = new Map([...sweeps].map(([sweep, of]) => [sweep, common(of)]));
  const traffic = c => c.sweep && sweeps.get(c.sweep).every(o => o.traffic === c.traffic) ? "" : c.traffic;
  return list.map(c => [c.sweep, keysOf(c).filter(k => !shared.get(c.sweep || "").includes(k)).join(","), traffic(c), arms && c.arm].filter(Boolean).join(" ") || c.path);
}

// A line of a plot with rows for every mean, its interval and its runs.
function spread(c, y) {
  const s = c.throughput, of = v => v / 1e6;
  return {
    marks: [{ x: of(s.mean_bps), y, ...(s.mean_interval_bps ? { low: of(s.mean_interval_bps[0]), high: of(s.mean_interval_bps[1]) } : {}), tip: cellTip(c) }],
    runs: c.runs.map(r => ({ x: of(r.throughput_bps), y, tip: runTip(c, r) })),
    rings: c.reference ? [{ x: of(c.reference.mean_bps), y, tip: cellTip(c) }] : [],
  };
}
const slabs = ["M-1.2-7H1.2V7H-1.2Z", "M0-7 3 0 0 7-3 0Z", "M-3-7H3L0 7Z", "M-3 7H3L0-7Z"];
// spreads are the series of such a plot: one a congestion control.
function spreads(placed) {
  return [...group(placed, p => p.cell.cc)].map(([cc, of]) => {
    const lines = of.map(p => spread(p.cell, p.y));
    return { name: cc, colour: colour(cc), shape: slabs[controls.indexOf(cc) % slabs.length], markOnly: true,
      marks: lines.flatMap(l => l.marks), runs: lines.flatMap(l => l.runs), rings: lines.flatMap(l => l.rings) };
  });
}

// Curves of one plot: a colour a congestion control, a shape and dash an RTT.
function styles(curves) {
  const rtts = [...new Set(curves.map(c => c.rtt_s))];
  return c => ({ colour: colour(c.cc), shape: shapes[rtts.indexOf(c.rtt_s) % shapes.length], dash: dashes[rtts.indexOf(c.rtt_s) % dashes.length] });
}
// What a plot's curves have in common, beside what all of them have.
function kind(c) {
  const base = cells[c.levels[0].cell];
  return [c.order === "keep" ? "order kept" : c.order === "free" ? "packets may overtake" : "", c.dist && c.dist !== "normal" ? c.dist : "",
    c.axis !== "loss_ratio" && base.loss_ratio > 0 ? "loss " + percent(base.loss_ratio) : "",
    (base.path.match(/tunnel=(\w+)/) || [])[1], c.traffic].filter(Boolean).join(", ");
}

const plots = {
  retention(into) {
    for (const [title, curves] of group(figures.jitter_curves || [], kind)) {
      const style = styles(curves);
      plot(into, {
        title: "Retention by jitter/RTT" + (title ? ": " + title : ""),
        x: { label: "jitter/RTT, %", min: 0 }, y: { label: "retention, %", scales: true }, guides: [{ y: 50 }],
        note: "Lines are the monotone fit, small dots single runs, bars the 95 % interval, cut off where it leaves the plot, rings the article's means; the shade is each cliff's interval.",
        series: curves.map(c => {
          const base = cells[c.levels[0].cell].throughput.mean_bps;
          const cliff = c.cliff ? `\ncliff at ${percent(c.cliff.at)}${within(c.cliff.interval)}` : "";
          const end = c.levels.at(-1).at;
          const base0 = cells[c.levels[0].cell].reference;
          return {
            name: c.label, ...style(c),
            lines: [c.levels.map(l => ({ x: l.at * 100, y: l.fit_ratio * 100 }))],
            marks: c.levels.map(l => ({ x: l.at * 100, y: l.retention_ratio * 100, ...(l.retention_interval ? { low: l.retention_interval[0] * 100, high: l.retention_interval[1] * 100 } : {}), tip: cellTip(cells[l.cell]) + `\nretention ${percent(l.retention_ratio)}${within(l.retention_interval)}` + cliff })),
            runs: c.levels.flatMap(l => cells[l.cell].runs.map(r => ({ x: l.at * 100, y: r.throughput_bps / base * 100, tip: runTip(cells[l.cell], r) }))),
            rings: base0 ? c.levels.filter(l => cells[l.cell].reference).map(l => ({ x: l.at * 100, y: cells[l.cell].reference.mean_bps / base0.mean_bps * 100, tip: cellTip(cells[l.cell]) })) : [],
            bands: c.cliff && c.cliff.interval ? [{ from: c.cliff.interval[0] * 100, to: Math.min(c.cliff.interval[1] ?? end, end) * 100 }] : [],
          };
        }),
      });
    }
    ratioOfVariation(into);
  },

  chaos(into) {
    const wild = (figures.chaos_cells || []).slice(0, 30).map(i => cells[i]);
    const shared = common(wild).filter(() => !wild.some(c => c.sweep));
    plot(into, {
      title: "Every run of the cells that scatter" + (shared.length ? ": " + shared.join(",") : ""), wide: true, x: { label: "throughput, Mbit/s", log: true, scales: true }, y: {},
      rows: namesOf(wild, true), series: spreads(wild.map((cell, y) => ({ cell, y }))),
      note: "A dot is a run, the upright mark their mean, the bar its 95 % interval, the ring the article's mean.",
    });
  },

  loss(into) {
    for (const [title, curves] of group(figures.loss_curves || [], kind)) {
      const style = styles(curves);
      plot(into, {
        title: "Throughput by loss" + (title ? ": " + title : ""), x: { label: "loss, %", log: true }, y: { label: "Mbit/s", log: true, scales: true },
        note: "Dashed lines are what theory expects, rings the article's means.",
        series: curves.flatMap(c => {
          const lossy = c.levels.filter(l => l.at > 0);
          const point = (l, v) => ({ x: l.at * 100, y: v / 1e6 });
          const measured = {
            name: c.label, ...style(c), dash: "",
            lines: [lossy.map(l => point(l, cells[l.cell].throughput.mean_bps))],
            marks: lossy.map(l => { const i = cells[l.cell].throughput.mean_interval_bps; return { ...point(l, cells[l.cell].throughput.mean_bps), ...(i && i[0] > 0 ? { low: i[0] / 1e6, high: i[1] / 1e6 } : {}), tip: cellTip(cells[l.cell]) + `\nretention ${percent(l.retention_ratio)}` + (l.theory_bps ? `\ntheory ${rate(l.theory_bps)}` : "") }; }),
            runs: lossy.flatMap(l => cells[l.cell].runs.map(r => ({ ...point(l, r.throughput_bps), tip: runTip(cells[l.cell], r) }))),
            rings: lossy.filter(l => cells[l.cell].reference).map(l => ({ ...point(l, cells[l.cell].reference.mean_bps), tip: cellTip(cells[l.cell]) })),
          };
          const expected = lossy.filter(l => l.theory_bps);
          return expected.length < 2 ? [measured] : [measured, { name: c.label + ", theory", with: c.label, colour: colour(c.cc), dash: "5 4", lines: [expected.map(l => point(l, l.theory_bps))] }];
        }),
      });
    }
  },

  ratios(into) {
    for (const m of figures.ratio_maps || []) heatmap(into, m);
  },

  profiles(into) {
    const lines = [...group((figures.profiles || []).map(p => figures.contrasts[p.contrast]), k => k.base_cell)];
    const placed = lines.flatMap(([base, list], y) => [{ cell: cells[base], y }, ...list.map(k => ({ cell: cells[k.other_cell], y }))]);
    plot(into, { title: "Throughput of each run", wide: true, rows: namesOf(lines.map(([base]) => cells[base]), false), series: spreads(placed), x: { label: "throughput, Mbit/s", log: true, scales: true }, y: {}, guides: [1, 2.5, 5].map(x => ({ x })), note: "A dot is a run, the upright mark their mean, the bar its 95 % interval. The dotted lines are where 360p, 480p and 720p begin." });
  },

  sharing(into) {
    const all = figures.sharing || [], names = namesOf(all.map(s => cells[s.cell]), true);
    plot(into, {
      title: "Share of both streams' throughput", wide: true, rows: names, x: { label: "share, %", min: 0, max: 100 }, y: {},
      guides: [...new Set(all.map(s => s.equal_ratio * 100))].map(x => ({ x })), note: "A dot is a run, the upright mark their mean, the bar its 95 % interval; the dotted line is an equal share.",
      series: [...group(all.map((s, y) => ({ s, y })), p => cells[p.s.cell].cc)].map(([cc, of]) => ({
        name: cc, colour: colour(cc), shape: slabs[controls.indexOf(cc) % slabs.length], markOnly: true,
        marks: of.map(({ s, y }) => ({ x: s.share_ratio * 100, y, ...(s.share_interval ? { low: s.share_interval[0] * 100, high: s.share_interval[1] * 100 } : {}), tip: cellTip(cells[s.cell]) + `\nthe neighbor's ${rate(s.neighbor_bps)}: share ${percent(s.share_ratio)}${within(s.share_interval)}` })),
        runs: of.flatMap(({ s, y }) => cells[s.cell].runs.map(r => ({ x: r.throughput_bps / (r.throughput_bps + (r.neighbor_bps || 0)) * 100, y, tip: runTip(cells[s.cell], r) }))),
      })),
    });
  },

  buffers(into) {
    for (const [side, curves] of group(figures.buffer_curves || [], c => c.side)) {
      const style = styles(curves);
      plot(into, {
        title: `Throughput by the ${side} buffer`, x: { label: "buffer, KiB", log: true }, y: { label: "Mbit/s", log: true, scales: true },
        series: curves.map(c => {
          const marks = c.levels.map(l => { const s = cells[l.cell].throughput, i = s.mean_interval_bps; return { x: l.bytes / 1024, y: s.mean_bps / 1e6, ...(i ? { low: i[0] / 1e6, high: i[1] / 1e6 } : {}), tip: cellTip(cells[l.cell]) + (c.enough_bytes ? `\nenough from ${short(c.enough_bytes / 1024)} KiB` : "") }; });
          return { name: c.label, ...style(c), lines: [marks], marks };
        }),
      });
    }
  },

  // Every cell, where they are few enough to be seen at once.
  cells(into) {
    const rows = [...group(cells, c => c.path + " " + c.traffic)].map(([, of]) => of);
    if (rows.length > 60) return;
    plot(into, {
      title: "Throughput of every cell", wide: true, x: { label: "throughput, Mbit/s", log: true, scales: true }, y: {},
      rows: namesOf(rows.map(of => of[0]), false), series: spreads(rows.flatMap((of, y) => of.map(cell => ({ cell, y })))),
      note: "A dot is a run, the upright mark their mean, the bar its 95 % interval" + (cells.some(c => c.reference) ? ", the ring the article's mean." : "."),
    });
  },

  gaps(into) {
    const curves = figures.jitter_curves || [];
    for (const [what, of] of [["Time between two sent packets", c => c.gap.packets_s], ["Longest time between two reads", c => c.gap.read_max_s]])
      for (const [title, list] of group(curves, kind)) {
        const style = styles(list);
        const series = list.map(c => {
          const points = c.levels.filter(l => of(cells[l.cell]) > 0).map(l => ({ x: l.at * 100, y: of(cells[l.cell]) * 1e3, tip: `${where(cells[l.cell])}: ${ms(of(cells[l.cell]))}` }));
          return { name: c.label, ...style(c), lines: [points], marks: points };
        }).filter(s => s.marks.length);
        if (series.length) plot(into, { title: what + (title ? ": " + title : ""), x: { label: "jitter/RTT, %", min: 0 }, y: { label: "ms", log: true, scales: true }, series });
      }
  },

  episodes(into) {
    const all = (figures.varying || []).flatMap(v => v.episodes.map(e => ({ c: cells[v.cell], e })));
    for (const [title, list] of group(all, o => `${o.e.episode}: ${where(o.c).split("\n")[0].replace(/,schedule=[^,]*/, "")}`)) {
      const line = of => o => ({ name: o.c.arm, colour: colour(o.c.cc), step: true, lines: [o.e.course.map(m => ({ x: m.at_s, y: of(m) }))] });
      const x = { label: "seconds from the episode's beginning", min: -2, max: 5 };
      plot(into, {
        title, height: 230, x, y: { label: "Mbit/s", log: true, scales: true }, guides: [{ x: 0 }],
        note: "Medians over every time that the episode came.", series: list.map(line(m => m.rate_bps / 1e6)),
      });
      plot(into, { title: title + ", RTT", height: 230, x, y: { label: "ms" }, guides: [{ x: 0 }], series: list.map(line(m => m.rtt_s * 1e3)) });
    }
  },

  traces(into) {
    for (const t of figures.traces || []) {
      const c = cells[t.cell];
      const name = `${c.arm}, ${c.path}${c.traffic ? ", " + c.traffic : ""}: ${({ below: "below the cliff", at: "at the cliff", above: "above the cliff" })[t.where] || "on no curve"}`;
      const points = t.points, line = of => [points.map(p => ({ x: p.at_s, y: of(p) })).filter(p => p.y > 0)];
      const states = s => points.flatMap((p, i) => p.ca_state === s ? [{ from: p.at_s, to: (points[i + 1] || p).at_s, class: "alarm" }] : []);
      const merged = bands => bands.reduce((all, b) => { const l = all.at(-1); l && Math.abs(l.to - b.from) < 1e-9 ? l.to = b.to : all.push({ ...b }); return all; }, []);
      const busy = merged([...states(3), ...states(4)].sort((a, b) => a.from - b.from));
      plot(into, {
        title: name, height: 230, x: { label: "seconds", min: 0, max: points.at(-1).at_s }, y: { label: "segments", scales: true },
        note: "Red: recovery or loss, the sender believes that packets were lost.",
        series: [
          { name: "cwnd", colour: "var(--c1)", step: true, lines: line(p => p.cwnd_segments), marks: [], bands: busy },
          { name: "ssthresh", colour: "var(--c0)", dash: "5 4", step: true, lines: line(p => p.ssthresh_segments) },
        ],
      });
      const last = points.at(-1);
      if (last.retransmits + last.dsacks + last.reordering_events === 0) continue;
      plot(into, {
        title: name + ", counted", height: 230, x: { label: "seconds", min: 0, max: last.at_s }, y: { label: "since the start", log: true, scales: true },
        series: [
          { name: "retransmits", colour: "var(--c5)", step: true, lines: line(p => p.retransmits) },
          { name: "DSACKs: needless ones", colour: "var(--c2)", dash: "5 4", step: true, lines: line(p => p.dsacks) },
          { name: "reorderings seen", colour: "var(--c3)", dash: "2 3", step: true, lines: line(p => p.reordering_events) },
        ],
      });
    }
  },

  agreement(into) {
    const a = figures.agreement;
    const sets = [["article, jitter", a.jitter, 1.5], ["article, loss", a.loss, 1.25], ["article's text", a.published, 1.5], ["theory", a.theory, 1.25]].filter(s => (s[1] || []).length);
    for (const [name, list, limit] of sets)
      plot(into, {
        title: "Here over there: " + name, x: { label: "there, Mbit/s", log: true }, y: { label: "ratio", log: true, min: Math.min(1 / 2.2, ...list.map(c => c.ratio)) * 0.95, max: Math.max(2.2, ...list.map(c => c.ratio)) * 1.05 },
        guides: [{ y: 1 }, { y: limit }, { y: 1 / limit }],
        series: [...group(list, c => c.cc)].map(([cc, of]) => ({ name: cc, colour: colour(cc), shape: shapes[controls.indexOf(cc) % shapes.length], markOnly: true,
          marks: of.map(c => ({ x: c.want_bps / 1e6, y: c.ratio, tip: (c.cell >= 0 ? where(cells[c.cell]) : `${c.what}\n${c.cc}`) + `: ${rate(c.mean_bps)}, there ${rate(c.want_bps)}: ${times(c.ratio)}` })) })),
      });
  },
};

// How far runs scatter along the same axis.
function ratioOfVariation(into) {
  for (const [title, curves] of group(figures.jitter_curves || [], kind)) {
    const style = styles(curves);
    const series = curves.map(c => {
      const points = c.levels.filter(l => cells[l.cell].throughput.cv_ratio >= 0).map(l => ({ x: l.at * 100, y: cells[l.cell].throughput.cv_ratio * 100, tip: cellTip(cells[l.cell]) }));
      return { name: c.label, ...style(c), lines: [points], marks: points };
    }).filter(s => s.marks.length);
    if (series.length) plot(into, { title: "Coefficient of variation by jitter/RTT" + (title ? ": " + title : ""), x: { label: "jitter/RTT, %", min: 0 }, y: { label: "CV, %", scales: true, min: 0 }, guides: [{ y: 20 }], series, note: "Above the dotted line a single run is not representative." });
  }
}

// A heatmap of ratios: orange where CUBIC carries more, blue where the other
// does, the stronger the further from 1.
function heatmap(into, m) {
  const byLoss = m.axis === "loss_ratio";
  const title = `${m.cc}/cubic by RTT and ${byLoss ? "loss" : "jitter"}` + (m.path ? ", " + m.path : "") + (m.order === "keep" ? ", order kept" : "") + (m.traffic ? ", " + m.traffic : "");
  const box = html("div", { class: "plot" }, html("h3", {}, title));
  const left = 58, top = 6, size = 34, wide = 56;
  const width = left + m.columns.length * wide + 4, height = top + m.rtts_s.length * size + 36;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, style: `width:100%;min-width:${Math.round(width * 0.85)}px;max-width:${Math.round(width * 1.1)}px` }, svg("title", {}, title));
  const most = Math.log(6);
  m.rtts_s.forEach((rtt, i) => {
    root.append(svg("text", { x: left - 8, y: top + i * size + size / 2 + 4, class: "tick", "text-anchor": "end" }, ms(rtt)));
    m.contrasts[i].forEach((k, j) => {
      if (k < 0) return;
      const c = figures.contrasts[k];
      const weight = Math.min(1, Math.abs(Math.log(c.ratio)) / most);
      const cell = svg("g", { tabindex: "0", class: "mark", role: "img" },
        svg("rect", { x: left + j * wide + 1, y: top + i * size + 1, width: wide - 2, height: size - 2, style: `fill:color-mix(in oklab, var(--${c.ratio < 1 ? "low" : "high"}) ${Math.round(weight * 78)}%, var(--mid))` }),
        svg("text", { x: left + j * wide + wide / 2, y: top + i * size + size / 2 + 4, class: "cell" }, (c.answer === "unclear" ? "~" : "") + digits(c.ratio)));
      const text = `${cells[c.other_cell].path}${m.traffic ? ", " + m.traffic : ""}\n${c.cc} ${rate(cells[c.other_cell].throughput.mean_bps)}, cubic ${rate(cells[c.base_cell].throughput.mean_bps)}: ${times(c.ratio)}` + (c.interval ? ` [${digits(c.interval[0])}, ${digits(c.interval[1])}]` : "") + `\n${c.answer}`;
      cell.setAttribute("aria-label", text);
      cell.onpointermove = e => showTip(text, e);
      cell.onpointerleave = hideTip;
      cell.onfocus = () => { const r = cell.getBoundingClientRect(); showTip(text, { clientX: r.right, clientY: r.bottom }); };
      cell.onblur = hideTip;
      root.append(cell);
    });
  });
  m.columns.forEach((v, j) => root.append(svg("text", { x: left + j * wide + wide / 2, y: height - 20, class: "tick", "text-anchor": "middle" }, byLoss ? percent(v) : ms(v))));
  root.append(svg("text", { x: left, y: height - 4, class: "tick" }, byLoss ? "loss" : "jitter"), svg("text", { x: left - 8, y: height - 20, class: "tick", "text-anchor": "end" }, "RTT"));
  box.append(html("div", { class: "scroll" }, root), html("p", { class: "note" }, `Blue: ${m.cc} carries more. Orange: CUBIC does. ~: the runs cannot distinguish it from 1.`));
  into.append(box);
}

for (const into of document.querySelectorAll("[data-plot]")) {
  plots[into.dataset.plot](into);
  if (!into.children.length) into.remove();
}
})();
