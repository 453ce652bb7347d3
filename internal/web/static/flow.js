// A connection's page: the verdict, its evidence, what to do, charts, facts.

import { attribute, byID, el, printable, text } from "./dom.js";
import * as address from "./address.js";
import * as stream from "./stream.js";
import * as format from "./format.js";
import * as charts from "./charts.js";
import * as table from "./table.js";

import { kind, warnings } from "./words.js";

let id = null, page = null, resent = 0, begun = false;

export const frozen = () => null;

export function show(state) {
  if (state.flow === id) return;
  leave();
  id = state.flow;
  page = build();
  begun = false;
  document.title = "connection – unchoke watch";
  stream.open("/events?" + new URLSearchParams({ flow: id }), { flow: update, gone, refused: gone });
  page.back.focus({ preventScroll: true });
  scrollTo(0, 0);
}

export function leave() {
  page?.charts.end();
  page = null;
  id = null;
  stream.close();
}

export function back() {
  table.comesBack(id);
  address.go(address.table());
}

const term = (name, help) => el("div", { class: "fact", title: help }, el("dt", {}, name), el("dd", {}, "–"));

const count = v => v === undefined || v < 0 ? "unknown" : format.words(format.number(v));
const bytes = v => v ? format.evidence({ value: v, unit: "bytes" }) : "–";
const share = v => format.words(format.plain(format.share(v)), "0 %");

// figures are those above the charts; facts all others, below them.
const figures = [
  ["out", f => format.words(format.rate(f.sent_bps), "0 bit/s")],
  ["in", f => format.words(format.rate(f.received_bps), "0 bit/s")],
  ["RTT", f => format.words(format.time(f.rtt_s), "–")],
  ["jitter", f => format.words(format.time(f.jitter_s), "–"), f => f.jitter_rtt_ratio > 0 ? share(f.jitter_rtt_ratio) + " of the RTT" : ""],
  ["resent", f => share(f.retransmit_ratio), f => f.spurious_ratio > 0 ? share(f.spurious_ratio) + " needless" : ""],
];

const facts = [
  ["state", f => f.closed ? "closed" : f.state],
  ["this end", f => f.local], ["remote", f => f.remote], ["device", f => f.device],
  ["process", f => f.process ? f.process + (f.pid ? ` (PID ${f.pid})` : "") : "unknown"], ["unit", f => f.unit], ["container", f => f.container],
  ["congestion control", f => f.cc], ["seen for", f => format.words(format.age(f.age_s)) + (f.whole ? ", from its beginning" : "")],
  ["idle for", f => format.words(format.age(f.idle_s))],
  ["sent", f => bytes(f.sent_bytes)], ["received", f => bytes(f.received_bytes)],
  ["least RTT", f => format.words(format.time(f.min_rtt_s), "–")], ["rate's variation", f => f.rate_cv > 0 ? format.words(format.percent(f.rate_cv)) : "–", "coefficient of variation, lately"],
  ["segments sent again", f => count(f.retransmits) + " of " + count(f.segments)], ["of them needless", f => count(f.spurious_retransmits)],
  ["marked by queues (ECN)", f => f.ecn_marked_ratio > 0 ? format.words(format.percent(f.ecn_marked_ratio)) + ", lately" : "no"],
  ["timeouts", f => count(f.timeouts)], ["reordering seen", f => count(f.reorder_events)], ["received out of order", f => count(f.received_out_of_order)],
  ["stalled", f => f.stalled_s > 0 ? format.words(format.time(f.stalled_s)) + ", lately" : "no"],
  ["congestion window", f => count(f.cwnd_segments) + " segments"], ["slow-start threshold", f => f.ssthresh_segments ? count(f.ssthresh_segments) + " segments" : "not set"],
  ["segment", f => bytes(f.segment_bytes)], ["path MTU", f => bytes(f.pmtu_bytes)],
  ["under way", f => count(f.unacked_segments) + " segments"], ["waiting to be sent", f => bytes(f.not_sent_bytes)],
  ["send window", f => bytes(f.send_window_bytes)], ["receive window", f => bytes(f.receive_window_bytes)],
  ["send buffer", f => bytes(f.send_buffer_bytes)], ["receive buffer", f => bytes(f.receive_buffer_bytes)], ["not read by the program", f => bytes(f.receive_queue_bytes)],
  ["pacing rate", f => format.words(format.rate(f.pacing_bps), "–")], ["pacing limit", f => format.words(format.rate(f.max_pacing_bps), "–")], ["delivery rate", f => format.words(format.rate(f.delivery_bps), "–")],
];

function build() {
  const p = { back: el("a", { class: "back", href: address.href(address.table()) }, "‹ all connections") };
  p.back.addEventListener("click", () => table.comesBack(id));
  p.head = el("h2", {}, "connection " + id);
  p.aside = el("p", { class: "aside" });
  p.ended = el("p", { class: "ended", role: "status", hidden: true });
  p.word = el("strong", {}, "watching");
  p.sure = el("span", { class: "sure" });
  p.title = el("p", { class: "title" });
  p.sentence = el("p", { class: "sentence" });
  p.warned = el("ul", { class: "warned" });
  p.advice = el("span");
  p.advised = el("p", { class: "advised" }, el("span", { class: "label" }, "advice"), p.advice);
  p.command = el("code");
  p.copy = el("button", { type: "button", class: "copy" }, "Copy");
  p.copied = el("span", { class: "hidden", role: "status" });
  p.copy.addEventListener("click", () => copy(p));
  p.next = el("div", { class: "next", hidden: true }, el("span", { class: "label" }, "next"), el("pre", { tabindex: "0", "aria-label": "the next command" }, p.command), p.copy, p.copied);
  p.evidence = el("tbody");
  p.evidenceTable = el("table", { class: "evidence", hidden: true }, el("caption", {}, "It rests on"), p.evidence);
  p.verdict = el("div", { class: "verdict", "data-kind": "quiet" }, el("div", { class: "said" }, el("p", { class: "word" }, p.word, p.sure), p.title, p.sentence, p.warned, p.advised, p.next), p.evidenceTable);
  p.figures = el("dl", { class: "figures" }, ...figures.map(([name]) => {
    const f = term(name);
    f.append(el("dd", { class: "aside" }));
    return f;
  }));
  p.plots = el("div", { class: "charts" });
  p.facts = el("dl", { class: "facts" }, ...facts.map(([name, , help]) => term(name, help)));
  byID("flow").replaceChildren(p.back, p.head, p.aside, p.ended, p.verdict, p.figures, p.plots, el("h3", {}, "All figures"), p.facts);
  p.charts = charts.make(p.plots);
  return p;
}

function update(event) {
  const f = event.flow, p = page;
  const at = new Date(event.time).getTime() / 1e3;
  const name = f.process || "unknown program";
  text(p.head, `${name} ↔ ${f.remote}`);
  document.title = printable(`${name} – unchoke watch`);
  text(p.aside, [f.unit || f.container, f.pid && "PID " + f.pid, f.cc, "seen for " + format.words(format.age(f.age_s))].filter(Boolean).join(" · "));
  // In a recording it may be there again, or only now.
  byID("flow").classList.remove("nothing");
  if (f.closed) ended("This connection has ended. These are its last figures.");
  else p.ended.hidden = true;
  verdict(f, event.title);
  figures.forEach(([, value, aside], i) => {
    text(p.figures.children[i].children[1], value(f));
    text(p.figures.children[i].children[2], aside?.(f));
  });
  facts.forEach(([, value], i) => {
    const words = value(f), fact = p.facts.children[i];
    fact.hidden = !words;
    text(fact.lastChild, words);
  });
  if (event.history) {
    p.charts.begin(event.history);
    begun = true;
  } else if (begun) {
    p.charts.add({ time_s: at, sent_bps: f.sent_bps, received_bps: f.received_bps, rtt_s: f.rtt_s, jitter_s: f.jitter_s, cwnd_segments: f.cwnd_segments, retransmits: Math.max(0, f.retransmits - resent), ...f.limits });
  }
  resent = f.retransmits;
}

function verdict(f, title) {
  const p = page;
  p.verdict.dataset.kind = kind(f.verdict);
  text(p.word, f.verdict || "watching");
  text(p.sure, f.confidence > 0 ? `${Math.round(f.confidence * 100)} % sure` : "");
  text(p.title, title || (f.verdict && f.verdict !== "watching" || f.summary ? "" : f.closed ? "It ended before it had told enough." : "It has not told enough yet."));
  text(p.sentence, f.summary);
  list(p.warned, (f.warnings || []).map(w => warnings[w] || w), "li");
  text(p.advice, f.advice);
  p.advised.hidden = !f.advice;
  text(p.command, f.next);
  p.next.hidden = !f.next;
  const rows = f.evidence || [];
  p.evidenceTable.hidden = rows.length === 0;
  while (p.evidence.children.length > rows.length) p.evidence.lastChild.remove();
  rows.forEach((e, i) => {
    const tr = p.evidence.children[i] || p.evidence.appendChild(el("tr", {}, el("th", { scope: "row" }), el("td")));
    text(tr.firstChild, e.what);
    attribute(tr.firstChild, "title", e.source || null);
    text(tr.lastChild, format.evidence(e));
  });
}

function list(into, words, name) {
  while (into.children.length > words.length) into.lastChild.remove();
  words.forEach((w, i) => text(into.children[i] || into.appendChild(el(name)), w));
  into.hidden = words.length === 0;
}

function ended(words) {
  text(page.ended, words);
  page.ended.hidden = false;
}

function gone() {
  ended(begun ? "This connection has ended. These are its last figures." : "There is no such connection on this host, or none any more.");
  byID("flow").classList.toggle("nothing", !begun);
}

// copy takes the command to the clipboard. Browsers lend it only to pages of
// this host or with TLS; elsewhere it is selected and copied the older way.
async function copy(p) {
  let done = false;
  try {
    await navigator.clipboard.writeText(p.command.textContent);
    done = true;
  } catch {
    getSelection().selectAllChildren(p.command);
    done = document.execCommand("copy");
  }
  text(p.copy, done ? "Copied" : "Select it");
  text(p.copied, done ? "copied" : "not copied: select it");
  setTimeout(() => { text(p.copy, "Copy"); text(p.copied, ""); }, 2e3);
}
