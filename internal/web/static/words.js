// Verdicts and limits in words, and how the page marks them.

// kind is how a verdict is coloured: good, bad, unsure, or quiet where there is
// nothing to do or nothing known yet.
export function kind(verdict) {
  switch (verdict) {
    case "healthy": return "good";
    case "": case undefined: case "watching": case "app-limited": return "quiet";
    case "unclear": return "unsure";
  }
  return "bad";
}

export const warnings = {
  "chaos-zone": "Chaos zone: jitter is so large a share of the RTT that a congestion control that answers to loss may lose half of its throughput.",
};

// limits are what can hold a sender back, from the wire up.
export const limits = [
  { key: "network", name: "network" },
  { key: "receive_window", name: "receiver" },
  { key: "send_buffer", name: "send buffer" },
  { key: "app", name: "program" },
];

// most is the limit that took the largest share; none below a tenth.
export function most(shares) {
  let best = null;
  for (const l of limits) if (shares[l.key] > 0.1 && (!best || shares[l.key] > shares[best.key])) best = l;
  return best;
}
