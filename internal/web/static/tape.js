// The bar of a recording: pause, position, speed. All pages show one tape, and
// each may turn it; where it is, the stream of events says.

import { attribute, byID, el, text } from "./dom.js";
import * as format from "./format.js";

const speeds = [0.25, 0.5, 1, 2, 4, 8, 16, 64, 256, 0]; // 0: as fast as it is read
const fastest = 256, slowest = 1 / 16; // of the keys - and +
let now = null, prepared = false, dragging = false;

const words = speed => speed ? `×${speed}` : "as fast as it is read";
const ended = t => t.length_s > 0 && t.at_s >= t.length_s;

// state is what the tape does, in a word; null where there is none.
export const state = t => t.paused ? "paused" : ended(t) ? "at its end" : "replaying";

function prepare() {
  if (prepared) return;
  prepared = true;
  for (const s of speeds) byID("tape-speed").append(el("option", { value: s }, words(s)));
  byID("tape-play").addEventListener("click", play);
  byID("tape-back").addEventListener("click", () => turn("by", -10));
  byID("tape-on").addEventListener("click", () => turn("by", 10));
  byID("tape-speed").addEventListener("change", e => turn("speed", e.target.value));
  const at = byID("tape-at");
  at.addEventListener("input", () => { dragging = true; clock(Number(at.value)); });
  at.addEventListener("change", () => { dragging = false; turn("to", at.value); });
}

// show says where the tape is; null where nothing is replayed.
export function show(t) {
  now = t;
  byID("tape").hidden = !t;
  if (!t) return;
  prepare();
  text(byID("tape-play"), t.paused ? "Play" : ended(t) ? "Again" : "Pause");
  const speed = byID("tape-speed"), value = String(t.speed);
  if (![...speed.options].some(o => o.value === value)) speed.append(el("option", { value }, words(t.speed)));
  if (speed.value !== value) speed.value = value;
  if (dragging) return;
  const at = byID("tape-at");
  // In whole seconds, as its steps are: at the recording's end it is at its own.
  attribute(at, "max", String(Math.max(1, Math.round(t.length_s || t.at_s))));
  at.value = t.at_s;
  clock(t.at_s);
}

function clock(at) {
  const length = now.length_s ? " of " + format.span(now.length_s) : "";
  text(byID("tape-clock"), format.span(at) + length);
  attribute(byID("tape-at"), "aria-valuetext", format.span(at) + length);
}

function play() {
  if (!now.paused && ended(now)) turn("to", 0);
  else turn("paused", now.paused ? 0 : 1);
}

// turn asks the server. What it refuses is a fault of this page, for its console.
async function turn(key, value) {
  try {
    const answer = await fetch(`/tape?${new URLSearchParams({ [key]: value })}`, { method: "POST", cache: "no-store" });
    if (!answer.ok) console.error(await answer.text());
  } catch { /* not reachable: as the stream says */ }
}

// key is what a key does, as in the terminal; false where it does nothing.
export function key(name) {
  if (!now) return false;
  const speed = now.speed || fastest;
  switch (name) {
    case "p": play(); break;
    case "[": turn("by", -10); break;
    case "]": turn("by", 10); break;
    case "{": turn("by", -60); break;
    case "}": turn("by", 60); break;
    case "0": turn("to", 0); break;
    case "-": turn("speed", Math.max(slowest, speed / 2)); break;
    case "+": turn("speed", Math.min(fastest, speed * 2)); break;
    default: return false;
  }
  return true;
}
