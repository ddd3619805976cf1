// What is shown, as elements: mathematics and exact numbers.
const MATHML = "http://www.w3.org/1998/Math/MathML";
const TAGS = new Set(["math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "msub", "msup", "msubsup"]);
const find = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
let state = emptySetting(), run = null, spent = 0;

function element(tag, className = "", ...inside) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...inside);
  return made;
}
// The mathematics at a place of the table of elements.
function mathematics(place) {
  const [tag, inside, attributes] = DATA.elements[place];
  if (!TAGS.has(tag)) return document.createTextNode("");
  const made = document.createElementNS(MATHML, tag);
  if (typeof inside === "string") made.textContent = inside; else made.append(...inside.map(mathematics));
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  return made;
}
// An exact number in groups of three digits, which are copied without gaps.
function grouped(text) {
  const box = element("span", "digits");
  for (const part of text.split(/(\/|-)/)) {
    if (!/^\d+$/.test(part)) { box.append(part); continue; }
    const first = part.length % 3 || 3, groups = [part.slice(0, first)];
    for (let i = first; i < part.length; i += 3) groups.push(part.slice(i, i + 3));
    box.append(...(part.length < 5 ? [part] : groups.map(group => element("span", "group", group))));
  }
  return box;
}
function decimals(x, places) {
  const text = significant(made(size(x.n), x.d), places), sign = x.n < 0n ? "-" : "";
  if (text.replace(/^0\.0*/, "").length <= places + 1 && text.length < 26) return sign + text;
  const [c, e] = rounded(made(size(x.n), x.d), places), figures = `${c}`;
  return `${sign}${figures[0]}.${figures.slice(1)}e${e}`;
}
function exactly(x) {
  if (x.low) return element("span", "", exactly(x.low), " to ", exactly(x.high));
  if (x.about) return element("span", "", "≈ ", decimals(x, 15));
  const text = textOf(x);
  return text.length > 3000 ? element("span", "", `an exact number of ${text.length} digits`) : grouped(text);
}
const sameAsRounded = (x, text) => !x.low && !x.about && text.split(" ")[0] === textOf(x);

