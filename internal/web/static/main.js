// The page: which part is shown, and the state of the connection.

import { byID, own, text } from "./dom.js";
import * as address from "./address.js";
import * as stream from "./stream.js";
import * as table from "./table.js";
import * as flow from "./flow.js";
import * as records from "./records.js";
import * as tape from "./tape.js";

const parts = { flows: table, flow, records };

function show() {
  const state = address.read();
  const part = state.flow ? "flow" : state.view === "records" || state.record ? "records" : "flows";
  for (const name of Object.keys(parts)) {
    if (name !== part && !byID(name).hidden) parts[name].leave();
    byID(name).hidden = name !== part;
  }
  for (const [id, on] of [["to-flows", part !== "records"], ["to-records", part === "records"]]) {
    if (on) byID(id).setAttribute("aria-current", "page");
    else byID(id).removeAttribute("aria-current");
  }
  if (part === "records") {
    stream.close();
    tape.show(null);
  }
  byID("connection").hidden = part === "records";
  parts[part].show(state);
}

stream.status((state, words) => {
  const at = parts.flows.frozen() && !byID("flows").hidden ? ["frozen", "frozen at " + parts.flows.frozen()] : [state, words];
  byID("connection").dataset.state = at[0];
  if (at[0] === "live") {
    if (byID("connection-words").textContent !== "live") text(byID("connection-words"), "live");
  } else text(byID("connection-words"), at[1]);
});

stream.replays(tape.show, tape.state);

// Links within the page change what it shows; others are the browser's.
document.addEventListener("click", event => {
  const link = event.target.closest?.("a[href^='/']");
  if (link && own(event) && !link.hasAttribute("download")) {
    event.preventDefault();
    address.go(link.getAttribute("href"));
  }
});

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, select, textarea");
  if (event.key === "/" && !typing && !byID("flows").hidden) {
    event.preventDefault();
    byID("filter").focus();
    byID("filter").select();
  } else if (event.key === "Escape" && !byID("flow").hidden) flow.back();
  else if (event.key === "Escape" && !byID("records").hidden) records.back();
  else if (!typing && tape.key(event.key)) event.preventDefault();
  else if (!byID("flows").hidden) table.key(event, typing);
});

address.dropToken();
address.onChange(show);
show();
