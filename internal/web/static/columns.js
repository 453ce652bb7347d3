// The table's columns: of connections, and of groups of them. fill sets a
// cell's content from a row; cells are made once and filled again and again.

import { attribute, el, text } from "./dom.js";
import * as format from "./format.js";
import { href, table } from "./address.js";
import { kind, limits, most, warnings } from "./words.js";

// figure is a number and its unit, each in its place, so that digits stand
// beneath digits.
function figure(of) {
  return {
    make: cell => cell.append(el("span", { class: "n" }), " ", el("span", { class: "u" })),
    fill(cell, row) {
      const f = of(row);
      text(cell.firstChild, f ? f[0] : "–");
      text(cell.lastChild, f ? f[1] : "");
      cell.classList.toggle("none", !f);
    },
  };
}

const owner = row => row.process || "unknown";

const process = {
  make: cell => cell.append(el("a", { class: "name", tabindex: "-1" }), " ", el("span", { class: "aside" })),
  fill(cell, row) {
    const link = cell.firstChild;
    attribute(link, "href", href({ ...table(), flow: row.id }));
    text(link, owner(row));
    link.classList.toggle("unknown", !row.process);
    text(cell.lastChild, row.closed ? "closed" : row.unit && row.unit !== row.process + ".service" ? row.unit : "");
    attribute(cell, "title", [row.process && `process ${row.process}`, row.pid && `PID ${row.pid}`, row.unit].filter(Boolean).join(", ") || null);
  },
};

const remote = {
  make: cell => cell.append(el("span", { class: "port" }), " ", el("span", { class: "way", "aria-hidden": "true" }), " ", el("span")),
  fill(cell, row) {
    text(cell.children[0], ":" + row.local.slice(row.local.lastIndexOf(":") + 1));
    text(cell.children[1], "↔");
    text(cell.children[2], row.remote);
    attribute(cell, "title", row.local + " ↔ " + row.remote);
  },
};

const verdict = {
  make: cell => cell.append(el("span", { class: "verdict-word" }), " ", el("span", { class: "aside" }), " ", el("span", { class: "mark" })),
  fill(cell, row) {
    text(cell.children[0], row.verdict || "watching");
    attribute(cell.children[0], "data-kind", kind(row.verdict));
    text(cell.children[1], row.confidence > 0 && kind(row.verdict) !== "quiet" ? format.percent(row.confidence).join("\u2009") : "");
    const warned = (row.warnings || []).map(w => warnings[w] || w).join(" ");
    text(cell.children[2], warned ? (row.warnings.includes("chaos-zone") ? "chaos zone" : "warning") : "");
    attribute(cell.children[2], "title", warned || null);
  },
};

// bar draws shares side by side; words say the same.
export function bar(shares) {
  return el("span", { class: "bar", "aria-hidden": "true" }, ...limits.map(l => el("span", { class: "limit-" + l.key })));
}

export function fillBar(element, shares) {
  limits.forEach((l, i) => {
    const width = Math.round(100 * Math.min(Math.max(shares[l.key] || 0, 0), 1)) + "%";
    if (element.children[i].style.width !== width) element.children[i].style.width = width;
  });
}

const limited = {
  make: cell => cell.append(bar(), el("span", { class: "limit-word" })),
  fill(cell, row) {
    fillBar(cell.firstChild, row.limits);
    text(cell.lastChild, most(row.limits)?.name || "–");
    attribute(cell, "title", limits.filter(l => row.limits[l.key] > 0.005).map(l => `${l.name} ${format.words(format.percent(row.limits[l.key]))}`).join(", ") || null);
  },
};

export const flows = [
  { key: "process", head: "Process", help: "the program that has the socket", left: true, ...process },
  { key: "remote", head: "Port ↔ remote", help: "this end's port and the peer", left: true, ...remote },
  { key: "verdict", head: "Verdict", help: "what holds it back, and how sure that is", left: true, ...verdict },
  { key: "sent", head: "Out", help: "what the peer acknowledged", ...figure(r => format.rate(r.sent_bps)) },
  { key: "received", head: "In", help: "what arrived", ...figure(r => format.rate(r.received_bps)) },
  { key: "rtt", head: "RTT", help: "smoothed round-trip time", ...figure(r => format.time(r.rtt_s)) },
  { key: "jitter-ratio", head: "Jitter", help: "the delay's standard deviation, over the RTT", ...figure(r => format.share(r.jitter_rtt_ratio)) },
  { key: "retrans", head: "Resent", help: "of the segments sent, in the last 30 s", ...figure(r => format.share(r.retransmit_ratio)) },
  { key: "limit", head: "Limited by", help: "what held the sender back, in the last 30 s", left: true, ...limited },
  { key: "cc", head: "CC", help: "congestion control", left: true, make() {}, fill: (cell, row) => text(cell, row.cc || "–") },
  { key: "age", head: "Age", help: "since it was seen first", ...figure(r => format.age(r.age_s)) },
];

const groupName = {
  make: cell => cell.append(el("a", { class: "name", tabindex: "-1" })),
  fill(cell, group) {
    const link = cell.firstChild;
    attribute(link, "href", href({ ...table(), in: group.name, from: "" }));
    text(link, group.name || "unknown");
    link.classList.toggle("unknown", !group.name);
  },
};

const groupVerdicts = {
  make() {},
  fill(cell, group) {
    while (cell.children.length > group.verdicts.length) cell.lastChild.remove();
    group.verdicts.forEach((v, i) => {
      const part = cell.children[i] || cell.appendChild(el("span", { class: "of" }, el("span", { class: "n" }), " ", el("span", { class: "verdict-word" })));
      text(part.firstChild, format.words(format.number(v.flows)));
      text(part.lastChild, v.verdict || "watching");
      attribute(part.lastChild, "data-kind", kind(v.verdict));
    });
  },
};

export const groups = by => [
  { key: by, head: by[0].toUpperCase() + by.slice(1), left: true, ...groupName },
  { key: "flows", head: "Connections", ...figure(g => format.number(g.flows)) },
  { key: "moving", head: "Moving", help: "that carry data now", ...figure(g => g.moving ? format.number(g.moving) : null) },
  { key: "sent", head: "Out", ...figure(g => format.rate(g.sent_bps)) },
  { key: "received", head: "In", ...figure(g => format.rate(g.received_bps)) },
  { key: "verdicts", head: "Verdicts", left: true, ...groupVerdicts },
];
