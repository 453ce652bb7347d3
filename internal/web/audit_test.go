package web

// audit lists what is wrong with a page for some of its readers: text whose
// contrast with what is behind it is below 4.5 (WCAG 2.2, 1.4.3), controls,
// pictures and frames without a name (4.1.2), a page that scrolls sideways
// (1.4.10), no heading or main part.
const audit = `(() => {
  const faults = new Set();
  const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3]));
  const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = c => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };
  const behind = e => {
    const layers = [];
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      layers.push(c);
      if (c[3] === 1) break;
    }
    let base = [255, 255, 255];
    for (const c of layers.reverse()) base = over(c, base);
    return base;
  };
  const hidden = e => !e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || e.closest('.hidden');
  const says = (e, what) => what + ' in <' + e.tagName.toLowerCase() + ' class="' + e.className + '" id="' + e.id + '">: ' + (e.textContent || '').slice(0, 40);
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || hidden(e) || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(e.tagName)) continue;
    texts++;
    const back = behind(e), r = ratio(over(parse(getComputedStyle(e).color), back), back);
    if (r < 4.5) faults.add(says(e, 'contrast ' + r.toFixed(2)));
  }
  if (texts < 10) faults.add('only ' + texts + ' texts: nothing was looked at');
  for (const e of document.querySelectorAll('input')) {
    const back = behind(e);
    for (const pseudo of [null, '::placeholder']) {
      const r = ratio(over(parse(getComputedStyle(e, pseudo).color), back), back);
      if (!hidden(e) && r < 4.5) faults.add(says(e, 'contrast ' + r.toFixed(2) + (pseudo || '')));
    }
  }
  for (const e of document.querySelectorAll('a, button, input, select, textarea, iframe, [role=img], table, [tabindex]')) {
    if (hidden(e)) continue;
    const name = e.getAttribute('aria-label') || [...(e.labels || [])].map(l => l.textContent).join('') || (e.matches('input, select, iframe') ? '' : e.textContent) || e.title;
    if (!name.trim()) faults.add(says(e, 'no name'));
  }
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.add('two elements have the id ' + id);
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !hidden(e));
    faults.add('it scrolls sideways: ' + document.documentElement.scrollWidth + ' of ' + innerWidth + (wide[0] ? says(wide[0], ' for what is') : ''));
  }
  if (!document.querySelector('h1') || !document.querySelector('main') || !document.documentElement.lang) faults.add('no heading, main part or language');
  return [...faults];
})()`
