// The page's state is its address: ?flow=ID, ?view=records, ?record=ID, and of
// the table filter, sort, group, in, closed, from.

const defaults = { sort: "rate" };
const tableKeys = ["filter", "sort", "group", "in", "closed", "from"];
let follow = () => {};

export function read() {
  const p = new URLSearchParams(location.search);
  const state = {};
  for (const [k, v] of p) state[k] = v;
  return state;
}

// href is the address of a state; what is as usual is left out.
export function href(state) {
  const p = new URLSearchParams();
  for (const [k, v] of Object.entries(state)) {
    if (v === undefined || v === null || v === false || v === "" && k !== "in" || v === defaults[k]) continue;
    p.set(k, v === true ? "1" : v);
  }
  const q = p.toString();
  return q ? "/?" + q : "/";
}

// table is the part of a state that says how the table looks.
export const table = (state = read()) => Object.fromEntries(tableKeys.filter(k => k in state).map(k => [k, state[k]]));

// go shows another state; replace leaves the one before out of the way back.
export function go(to, { replace = false } = {}) {
  const where = typeof to === "string" ? to : href(to);
  if (where !== location.pathname + location.search) history[replace ? "replaceState" : "pushState"](null, "", where);
  follow();
}

export function onChange(f) {
  follow = f;
  addEventListener("popstate", f);
}

// A token in the address has done its work: a cookie carries it from here on.
export function dropToken() {
  const state = read();
  if ("token" in state) {
    delete state.token;
    history.replaceState(null, "", href(state));
  }
}
