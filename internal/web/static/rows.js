// Rows that are filled again with every event. A row's element keeps its place
// and takes another connection's figures where the order changes, so that
// nothing is built and nothing flickers; the focus follows the connection.

import { attribute, byID, el, text } from "./dom.js";

let columns = null, name = "";
let pressed = null; // the row that the pointer went down on, whose connection is meant even if another takes its place

export const body = () => byID("rows");
export const at = index => body().children[index];
export const count = () => body().children.length;
export const focused = () => document.activeElement?.closest?.("#rows > tr");

// columnsAre lays the table out anew where its columns are others.
export function columnsAre(which, list) {
  if (name === which) return;
  name = which;
  columns = list;
  byID("table").dataset.of = which;
  byID("head").replaceChildren(...list.map(c => {
    const th = el("th", { role: "columnheader", scope: "col", class: "c-" + c.key + (c.left ? " left" : ""), title: c.help });
    th.append(c.sort === false ? c.head : el("button", { type: "button", "data-sort": c.key }, c.head));
    return th;
  }));
  body().replaceChildren();
}

// sortedBy marks the column that orders the rows.
export function sortedBy(key, reversed, isName) {
  for (const b of byID("head").querySelectorAll("button")) {
    const here = b.dataset.sort === key;
    attribute(b.parentNode, "aria-sort", here ? (reversed !== isName ? "ascending" : "descending") : null);
  }
}

function make() {
  const tr = el("tr", { role: "row", tabindex: "-1" });
  for (const c of columns) {
    const td = el("td", { role: "cell", class: "c-" + c.key + (c.left ? " left" : ""), "data-head": c.head });
    c.make(td);
    tr.append(td);
  }
  return tr;
}

export function fill(list, idOf) {
  const held = focused(), id = held?.dataset.id;
  while (count() > list.length) body().lastChild.remove();
  list.forEach((row, i) => {
    const tr = at(i) || body().appendChild(make());
    if (tr.dataset.id !== idOf(row)) tr.dataset.id = idOf(row);
    tr.classList.toggle("closed", Boolean(row.closed));
    columns.forEach((c, k) => c.fill(tr.children[k], row));
  });
  if (id !== undefined) {
    const now = [...body().children].find(tr => tr.dataset.id === id) || (held.isConnected ? held : at(0));
    if (now && now !== held) now.focus({ preventScroll: true });
  }
  reachable();
}

// reachable lets Tab reach one row: the focused or the first; arrows reach the
// others.
export function reachable() {
  const one = focused() || at(0);
  for (const tr of body().children) attribute(tr, "tabindex", tr === one ? "0" : "-1");
}

export const link = tr => tr?.querySelector("a.name");

// A click anywhere in a row is one on its link.
export function clicks(open) {
  body().addEventListener("pointerdown", e => { pressed = link(e.target.closest("tr"))?.getAttribute("href") ?? null; });
  body().addEventListener("click", e => {
    if (e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || String(getSelection())) return;
    const to = pressed ?? link(e.target.closest("tr"))?.getAttribute("href");
    pressed = null;
    if (!to) return;
    e.preventDefault();
    open(to);
  });
  body().addEventListener("focusin", reachable);
}
