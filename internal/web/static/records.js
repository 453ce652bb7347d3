// The saved records, and each as the report that its command writes. Reports
// come in frames that may do nothing but show themselves.

import { byID, el } from "./dom.js";
import * as address from "./address.js";
import * as format from "./format.js";

let now = null;

export function show(state) {
  const want = state.record || "";
  if (now === want && want) return;
  now = want;
  if (want) one(want);
  else list();
}

export function leave() {
  now = null;
  byID("records").replaceChildren();
}

export function back() {
  address.go(now ? { view: "records" } : "/");
}

async function list() {
  document.title = "records – unchoke";
  const into = byID("records");
  let found;
  try {
    const answer = await fetch("/records");
    if (!answer.ok) throw new Error((await answer.text()).trim());
    found = await answer.json();
  } catch (error) {
    into.replaceChildren(el("p", { class: "fault", role: "alert" }, "The records cannot be listed: " + error.message));
    return;
  }
  if (now !== "") return;
  const rows = (found.records || []).map(r => el("tr", {},
    el("td", { class: "left" }, r.error ? el("span", { class: "unknown" }, r.target || r.id) : el("a", { class: "name", href: address.href({ record: r.id }) }, r.target)),
    el("td", { class: "left" }, r.command || "–"),
    el("td", { class: "left when" }, r.started?.startsWith("0001") || !r.started ? "–" : format.day(r.started)),
    el("td", {}, r.size_bytes ? format.words(format.size(r.size_bytes)) : "–"),
    el("td", { class: "left id" }, r.error ? "unreadable: " + r.error : r.id)));
  into.replaceChildren(
    el("h2", {}, "Records"),
    el("p", { class: "aside" }, rows.length ? "Every check and every ab saves one. They are read again here, with the rules of this version." : "There are no records yet: unchoke check TARGET saves one."),
    rows.length ? el("table", { class: "records" }, el("thead", {}, el("tr", {}, ...[["Target", "left"], ["By", "left"], ["Started", "left"], ["Size", ""], ["ID", "left"]].map(([h, c]) => el("th", { scope: "col", class: c }, h)))), el("tbody", {}, ...rows)) : "");
}

function one(id) {
  document.title = "record – unchoke";
  const frame = el("iframe", { src: "/records/" + encodeURIComponent(id), title: "Report of " + id, class: "report", sandbox: "allow-scripts" });
  byID("records").replaceChildren(el("p", { class: "over" }, el("a", { class: "back", href: "/?view=records" }, "‹ all records"), " ", el("span", { class: "aside" }, id === "opened" ? "opened with --open" : id)), frame);
}
