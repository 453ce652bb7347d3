// What the page is built with. Everything that a connection or a record says of
// itself (process names above all) gets onto the page through text() alone: as
// text, and with characters that could draw over the page shown as escapes.

const drawsOver = /[\p{C}\p{Zl}\p{Zp}]/gu;

export const printable = s => String(s).replace(drawsOver, c => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));

// text sets what an element says, and touches it only where that changes.
export function text(element, words) {
  const safe = printable(words ?? "");
  if (element.textContent !== safe) element.textContent = safe;
  return element;
}

// el makes an element with attributes and children; strings become text.
export function el(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (v === true) e.setAttribute(k, "");
    else if (v !== false && v !== undefined && v !== null) e.setAttribute(k, printable(v));
  }
  e.append(...children.filter(c => c !== null && c !== undefined && c !== "").map(c => c instanceof Node ? c : printable(c)));
  return e;
}

// attribute sets one only where it changes; null takes it away.
export function attribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export const byID = id => document.getElementById(id);

// own says whether a click on a link is for the page: others (a new tab) are the
// browser's.
export const own = event => event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && !event.defaultPrevented;
