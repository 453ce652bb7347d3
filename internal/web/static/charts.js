// The charts of a connection's page, drawn by uPlot from the columns that the
// server sends and from what comes after.

import { byID, el, text } from "./dom.js";
import * as format from "./format.js";
import { limits } from "./words.js";

const span = 300; // s that the charts hold
const spanLow = 60; // s that they show at least
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const known = (f, none) => v => v === null || v === undefined ? "–" : format.words(f(v), none);
const rateWords = known(format.rate, "0 bit/s"), timeWords = known(format.time, "–"), shareWords = known(format.percent, "0 %"), countWords = known(format.number, "0");

// columns are what a chart reads, by the server's keys.
const keys = ["time_s", "sent_bps", "received_bps", "rtt_s", "jitter_s", "cwnd_segments", "retransmits", "app", "receive_window", "send_buffer", "network"];

// A chart has a title, series (label, column of data, words of a value) and how
// they are drawn. hide leaves a series out of the reading: the edge of a band.
const specs = [
  { id: "rate", title: "Rate", axis: format.rate, series: [
    { label: "out", of: d => d.sent_bps, words: rateWords, stroke: "--c1", fill: "--c1-band" },
    { label: "in", of: d => d.received_bps, words: rateWords, stroke: "--c0" }] },
  { id: "rtt", title: "Round-trip time and jitter", axis: format.time, bands: [{ series: [2, 3], fill: "--c3-band" }], series: [
    { label: "RTT", of: d => d.rtt_s, words: timeWords, stroke: "--c3" },
    { label: "above", hide: true, of: d => d.rtt_s.map((v, i) => v + d.jitter_s[i]) },
    { label: "below", hide: true, of: d => d.rtt_s.map((v, i) => Math.max(0, v - d.jitter_s[i])) },
    { label: "jitter ±", read: true, of: d => d.jitter_s, words: timeWords }] },
  { id: "cwnd", title: "Congestion window", axis: v => format.number(v), unit: "segments", series: [
    { label: "segments", of: d => d.cwnd_segments, words: countWords, stroke: "--c2", step: true }] },
  { id: "resent", title: "Segments sent again", axis: v => format.number(v), low: 5, series: [
    { label: "each look", of: d => d.retransmits, none: 0, words: countWords, stroke: "--alarm", bars: true }] },
  { id: "limits", title: "Limited by", axis: v => format.percent(v), top: 1, stacked: true, series: limits.map(l => (
    { label: l.name, of: d => d[l.key], words: shareWords, stroke: "--limit-" + l.key, fill: "--limit-" + l.key })) },
];

// make builds the charts in an element; it returns {begin, add, redraw, end}.
export function make(into) {
  const data = Object.fromEntries(keys.map(k => [k, []]));
  const charts = specs.map(spec => chart(into, spec, data));
  const again = matchMedia("(prefers-color-scheme: dark)");
  const redraw = () => { for (const c of charts) c.build(); };
  again.addEventListener("change", redraw);
  const resized = new ResizeObserver(() => { for (const c of charts) c.resize(); });
  resized.observe(into);
  const update = () => { for (const c of charts) c.update(); };
  return {
    begin(history) {
      for (const k of keys) data[k] = [...(history[k] || [])];
      update();
    },
    add(sample) {
      const n = data.time_s.length;
      // A recording that was wound back begins anew.
      if (n && sample.time_s < data.time_s[n - 1] - 1) for (const k of keys) data[k] = [];
      else if (n && sample.time_s <= data.time_s[n - 1]) return;
      for (const k of keys) data[k].push(sample[k]);
      while (data.time_s.length > 2 && data.time_s[0] < sample.time_s - span) for (const k of keys) data[k].shift();
      update();
    },
    end() {
      again.removeEventListener("change", redraw);
      resized.disconnect();
      for (const c of charts) c.end();
    },
  };
}

// nice is a top for an axis: the next 1, 2, 2.5, 5 or 10 above.
function nice(v) {
  const power = 10 ** Math.floor(Math.log10(v));
  return power * [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find(m => m * power >= v * 1.02);
}

function chart(into, spec, data) {
  const reading = el("p", { class: "reading" });
  const plot = el("div", { class: "plot", role: "img" });
  into.append(el("figure", { id: "chart-" + spec.id, class: "chart" }, el("figcaption", {}, el("h3", {}, spec.title), reading), plot));
  for (const s of spec.series) if (!s.hide) reading.append(el("span", { class: "read" }, s.read ? null : el("span", { class: "swatch swatch-" + spec.id + "-" + s.label.replace(/\W/g, ""), "aria-hidden": "true" }), el("span", {}, s.label + " "), el("b", {}, "–")));
  let u = null, cursor = null, named = 0;

  const drawn = spec.series.filter(s => !s.read);
  // columnsNow are the x and y values that uPlot draws; stacked ones add up.
  function columnsNow() {
    const ys = drawn.map(s => s.none === undefined ? s.of(data) : s.of(data).map(v => v === s.none ? null : v));
    if (spec.stacked) for (let k = 1; k < ys.length; k++) ys[k] = ys[k].map((v, i) => v + ys[k - 1][i]);
    return [data.time_s, ...ys];
  }

  function read() {
    const n = data.time_s.length, i = cursor ?? n - 1;
    spec.series.filter(s => !s.hide).forEach((s, k) => text(reading.children[k].lastChild, i < 0 ? "–" : s.words(s.of(data)[i])));
    // A screen reader's words change rarely: they are for who comes by.
    if (Date.now() - named > 10e3 && n) {
      named = Date.now();
      const first = spec.series[0], values = first.of(data);
      plot.setAttribute("aria-label", `${spec.title}, ${first.label}: now ${first.words(values[n - 1])}, at least ${first.words(Math.min(...values))} and at most ${first.words(Math.max(...values))} in ${format.words(format.age(data.time_s[n - 1] - data.time_s[0]))}`);
    }
  }

  function options() {
    const faint = colour("--faint"), line = colour("--line");
    const bands = [...(spec.bands || []).map(b => ({ series: b.series, fill: colour(b.fill) }))];
    if (spec.stacked) for (let k = drawn.length; k > 1; k--) bands.push({ series: [k, k - 1], fill: colour(drawn[k - 1].fill) });
    const axis = { stroke: faint, font: "11px system-ui, sans-serif", grid: { stroke: line, width: 1 }, ticks: { show: false } };
    return {
      width: Math.max(200, plot.clientWidth), height: 150, legend: { show: false }, padding: [8, 16, 0, 0], bands,
      cursor: { sync: { key: "flow" }, drag: { setScale: false, x: false, y: false }, y: false, points: { size: 6 } },
      scales: {
        x: { time: false, range: (_, low, high) => {
          const end = data.time_s.at(-1) ?? high ?? 0;
          return [end - Math.max(spanLow, Math.min(span, end - (data.time_s[0] ?? end))), end];
        } },
        y: { range: (_, low, high) => [0, spec.top ?? nice(Math.max(high || 0, spec.low || 1e-9))] },
      },
      axes: [
        { ...axis, size: 24, space: 70, splits: (_, __, low, high) => {
          const step = [10, 15, 30, 60].find(s => (high - low) / s <= Math.max(2, plot.clientWidth / 90)) || 60;
          const out = [];
          for (let t = high; t >= low; t -= step) out.unshift(t);
          return out;
        }, values: (_, splits) => splits.map((t, i) => i === splits.length - 1 ? "now" : "−" + format.age(splits.at(-1) - t).join(" ")) },
        { ...axis, size: 74, gap: 6, space: 28, values: (_, splits) => splits.map(v => v === 0 ? "0" : format.words(format.plain(spec.axis(v)), "0")) },
      ],
      series: [{}, ...drawn.map((s, k) => ({
        label: s.label, width: s.hide ? 0 : spec.stacked ? 1 : 1.75, points: { show: false },
        stroke: s.stroke ? colour(s.stroke) : "transparent",
        fill: s.bars || s.fill && (!spec.stacked || k === 0) ? colour(s.fill || s.stroke) : undefined,
        paths: s.bars ? uPlot.paths.bars({ size: [0.7, 6] }) : s.step ? uPlot.paths.stepped({ align: 1 }) : undefined,
      }))],
      hooks: { setCursor: [v => { cursor = v.cursor.left >= 0 && v.cursor.idx !== null ? v.cursor.idx : null; read(); }] },
    };
  }

  function build() {
    u?.destroy();
    u = new uPlot(options(), columnsNow(), plot);
    read();
  }
  build();
  return {
    build,
    update() { u.setData(columnsNow()); read(); },
    resize() { if (plot.clientWidth && plot.clientWidth !== u.width) u.setSize({ width: plot.clientWidth, height: 150 }); },
    end() { u.destroy(); },
  };
}
