// The table of connections: filter, order, groups, pages, freeze.

import { attribute, byID, el, text } from "./dom.js";
import * as address from "./address.js";
import * as stream from "./stream.js";
import * as format from "./format.js";
import * as columns from "./columns.js";
import * as rows from "./rows.js";
import { kind } from "./words.js";

const names = ["process", "remote", "verdict", "limit", "cc"]; // sorted from A on
const pageRows = 100;
let frozenAt = null, shown = null, prepared = false, last = null;
let selected = null; // the connection whose page was open, to come back to

export const frozen = () => frozenAt;

function prepare() {
  if (prepared) return;
  prepared = true;
  const sort = byID("sort");
  for (const c of columns.flows) sort.append(el("option", { value: c.key }, c.head));
  sort.insertBefore(el("option", { value: "rate" }, "Rate"), sort.firstChild);
  sort.addEventListener("change", () => change({ sort: sort.value }));
  byID("group").addEventListener("change", e => change({ group: e.target.value, in: undefined }));
  byID("closed").addEventListener("change", e => change({ closed: e.target.checked }));
  byID("freeze").addEventListener("click", () => frozenAt ? thaw() : freeze());
  byID("before").addEventListener("click", () => change({ from: Math.max(0, shown.from - pageRows) || "" }));
  byID("after").addEventListener("click", () => change({ from: shown.from + pageRows }));
  byID("head").addEventListener("click", e => {
    const key = e.target.closest("button")?.dataset.sort;
    if (key) change({ sort: address.read().sort === key || key === "rate" ? "-" + key : key });
  });
  let typed = 0;
  const filter = byID("filter");
  filter.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(() => change({ filter: filter.value.trim() }, true), 300);
  });
  rows.clicks(address.go);
}

// change goes to another view of the table, from its first row.
function change(what, replace = false) {
  thaw(false);
  address.go({ ...address.table(), from: "", ...what }, { replace });
}

export function show(state) {
  prepare();
  if (document.activeElement !== byID("filter")) byID("filter").value = state.filter || "";
  byID("group").value = state.group || "";
  byID("closed").checked = state.closed === "1";
  const sort = state.sort || "rate", key = sort.replace(/^-/, "");
  byID("sort").value = key;
  document.title = "unchoke watch";
  text(byID("inside"), "");
  byID("inside").hidden = !("in" in state);
  if ("in" in state) byID("inside").append(`${state.group}: `, el("b", {}, state.in || "unknown"), " ", el("a", { href: address.href({ ...address.table(), in: undefined, from: "" }) }, "all groups"));
  if (state.group && !("in" in state)) rows.columnsAre("groups-" + state.group, columns.groups(state.group).map(c => ({ ...c, sort: ["sent", "received"].includes(c.key) ? undefined : false })));
  else rows.columnsAre("flows", columns.flows);
  rows.sortedBy(key, sort.startsWith("-"), names.includes(key));
  const where = "/events" + location.search;
  if (where === last && frozenAt) return;
  last = where;
  stream.open(where, { view, refused });
}

export function leave() {
  thaw(false);
  last = null;
  stream.close();
}

function refused(why) {
  const p = byID("filter-fault");
  text(p, why.error);
  if (why.pointer) p.append(el("code", { class: "pointer" }, ...why.pointer.split("\n").map(l => el("span", {}, l))));
  if (why.hint) p.append(el("span", { class: "aside" }, why.hint));
  p.hidden = false;
  attribute(byID("filter"), "aria-invalid", "true");
}

function view(v) {
  if (frozenAt) return;
  shown = v;
  byID("filter-fault").hidden = true;
  attribute(byID("filter"), "aria-invalid", null);
  const grouped = Boolean(v.groups) || rows.body().closest("table").dataset.of !== "flows";
  rows.fill((grouped ? v.groups : v.rows) || [], r => grouped ? "group " + r.name : r.id);
  summary(v);
  verdicts(v);
  text(byID("empty"), v.total ? "" : v.all_flows ? "No connection is as the filter says." : "This host has no TCP connection now.");
  byID("empty").hidden = v.total > 0;
  byID("table").hidden = v.total === 0;
  byID("pager").hidden = v.total <= pageRows;
  const n = x => format.words(format.number(x));
  text(byID("place"), `${n(v.from + 1)}–${n(Math.min(v.from + pageRows, v.total))} of ${n(v.total)}`);
  byID("before").disabled = v.from === 0;
  byID("after").disabled = v.from + pageRows >= v.total;
  notes(v);
  if (selected) {
    const tr = [...rows.body().children].find(r => r.dataset.id === selected);
    selected = null;
    tr?.focus({ preventScroll: false });
  }
}

function summary(v) {
  const p = byID("summary");
  if (!p.firstChild) for (const name of ["flows", "moving", "out", "in"]) p.append(el("span", { class: "sum" }, el("b"), " ", el("span")), " ");
  const set = (i, figure, words) => {
    text(p.children[i].firstChild, figure);
    text(p.children[i].lastChild, words);
  };
  const n = x => format.words(format.number(x));
  set(0, n(v.flows), v.flows === v.all_flows ? (v.flows === 1 ? "connection" : "connections") : `of ${n(v.all_flows)} connections`);
  set(1, n(v.moving), "moving");
  set(2, format.words(format.rate(v.sent_bps), "0 bit/s"), "out");
  set(3, format.words(format.rate(v.received_bps), "0 bit/s"), "in");
}

// verdicts are links that narrow the table down to one.
function verdicts(v) {
  const p = byID("verdicts");
  const list = v.verdicts || [];
  while (p.children.length > list.length) p.lastChild.remove();
  list.forEach((c, i) => {
    const a = p.children[i] || p.appendChild(el("a", { class: "verdict-count" }, el("span", { class: "n" }), " ", el("span", { class: "verdict-word" })));
    const word = c.verdict || "watching", filter = `verdict = ${word}`, on = byID("filter").value.trim() === filter;
    attribute(a, "href", address.href({ ...address.table(), from: "", filter: on ? "" : filter }));
    attribute(a, "aria-current", on ? "true" : null);
    attribute(a, "title", on ? "show all again" : "show only these");
    text(a.firstChild, format.words(format.number(c.flows)));
    text(a.lastChild, word);
    attribute(a.lastChild, "data-kind", kind(c.verdict));
  });
}

function notes(v) {
  const list = [...(v.notes || [])];
  if (v.lost_events) list.push(`${format.words(format.number(v.lost_events))} connections ended unseen: the kernel could not tell of each.`);
  const ul = byID("notes");
  while (ul.children.length > list.length) ul.lastChild.remove();
  list.forEach((words, i) => text(ul.children[i] || ul.appendChild(el("li")), words));
}

function freeze() {
  if (!shown) return;
  frozenAt = format.clock(shown.time);
  mark();
}

function thaw(again = true) {
  if (!frozenAt) return;
  frozenAt = null;
  mark();
  if (again) {
    last = null;
    show(address.read());
  }
}

function mark() {
  const b = byID("freeze");
  attribute(b, "aria-pressed", String(Boolean(frozenAt)));
  byID("flows").classList.toggle("frozen", Boolean(frozenAt));
  byID("connection").dataset.state = frozenAt ? "frozen" : "connecting";
  text(byID("connection-words"), frozenAt ? "frozen at " + frozenAt : "connecting …");
}

// comesBack remembers which row to put the focus on.
export function comesBack(id) { selected = id; }

// key is what a key does here; typing says that it went into a field.
export function key(event, typing) {
  const row = rows.focused();
  const i = row ? [...rows.body().children].indexOf(row) : -1;
  const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: rows.count() - 1, PageDown: i + 20, PageUp: i - 20 }[event.key];
  if (event.key === "Escape") {
    if (typing) document.activeElement.blur();
    const state = address.read();
    if (state.filter) { byID("filter").value = ""; change({ filter: "" }); }
    else if ("in" in state) change({ in: undefined });
    return;
  }
  if (typing && !(typing.id === "filter" && event.key === "ArrowDown")) return;
  if (to !== undefined && rows.count() && (row || event.key === "ArrowDown")) {
    event.preventDefault();
    const target = rows.at(Math.min(Math.max(to, 0), rows.count() - 1));
    target.focus();
    target.scrollIntoView({ block: "nearest" });
  } else if (event.key === "Enter" && row && event.target === row) {
    event.preventDefault();
    address.go(rows.link(row).getAttribute("href"));
  }
}
