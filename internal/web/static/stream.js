// The stream of events that feeds the page. A browser reconnects an EventSource
// by itself; where it gives up (a full server, a lost token) this asks why and
// goes on trying. A page that nobody looks at is not fed.

const hiddenFor = 10e3; // ms until the stream of a hidden page closes
const patience = 5e3; // ms without an event, at least, until the page says so

let source = null, address = null, handlers = {}, tell = () => {};
let replay = () => {}, stateOf = () => "", still = false;
let retry = 0, retrying = 0, hiding = 0, heard = 0, interval = 1, over = false;

// status is told ["connecting" | "live" | "waiting" | "reconnecting" | "refused"
// | "ended", words].
export function status(f) { tell = f; }

// replays is told where the recording is that is played, or null; words say what
// it does.
export function replays(f, words) {
  replay = f;
  stateOf = words;
}

// open follows an address; on has a function for each event's name.
export function open(where, on) {
  close();
  address = where;
  handlers = on;
  over = false;
  connect();
}

export function close() {
  source?.close();
  source = null;
  address = null;
  clearTimeout(retrying);
}

function connect() {
  clearTimeout(retrying);
  source?.close();
  const s = source = new EventSource(address);
  for (const name of ["view", "flow", "gone", "ended", "refused"]) s.addEventListener(name, e => {
    if (s !== source) return;
    retry = 0;
    heard = Date.now();
    const data = JSON.parse(e.data);
    if (data.interval_s) interval = data.interval_s;
    if (name === "refused") { s.close(); tell("refused", "not shown"); }
    else if (name === "ended") { over = true; tell("ended", "the recording is over"); }
    else if (!over && data.tape) tell("replay", stateOf(data.tape));
    else if (!over) tell("live", "live");
    if (name !== "refused" && name !== "ended") {
      replay(data.tape || null);
      still = Boolean(data.tape) && stateOf(data.tape) !== "replaying";
    }
    handlers[name]?.(data);
  });
  s.onerror = () => {
    if (s !== source || over) return;
    tell("reconnecting", "reconnecting …");
    if (s.readyState === EventSource.CLOSED) ask();
  };
}

// ask finds out why the browser gave up, and tries again.
async function ask() {
  const wanted = address;
  let words = "reconnecting …";
  try {
    const answer = await fetch("/static/icon.svg", { cache: "no-store" });
    if (answer.status === 401) words = "another start, another token: open the address that unchoke printed";
    else if (answer.status === 403) words = "not admitted";
    else words = "too many pages are open; trying again …";
  } catch { /* not reachable: as it says */ }
  if (address !== wanted || address === null) return;
  tell("reconnecting", words);
  retrying = setTimeout(connect, Math.min(30e3, 1e3 * 2 ** retry++));
}

setInterval(() => {
  const silent = Date.now() - heard;
  if (source?.readyState === EventSource.OPEN && heard && !over && !still && silent > Math.max(patience, 3e3 * interval)) tell("waiting", `no news for ${Math.round(silent / 1e3)} s`);
}, 1e3);

document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(() => { source?.close(); source = null; }, hiddenFor);
  else if (address !== null && source === null && !over) connect();
});
