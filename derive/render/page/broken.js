// A browser breaks no line inside mathematics: a long sum is several pieces in a row, and a line is broken between them.
const LONG = 60, WITHIN = 30; // signs of a sum, and of one in brackets
const SUM_SIGNS = new Set(["+", "−", "-"]), OPENING = new Set(["(", "⌈", "⌊"]), CLOSING = new Set([")", "⌉", "⌋"]);
const isSign = (node, signs) => node.localName === "mo" && signs.has(node.textContent);
const hasSum = row => [...row.children].some((node, i) => i && (isSign(node, SUM_SIGNS) || (node.localName === "mo" && node.textContent === ",")) || (node.localName === "mrow" && hasSum(node)));
const sign = text => { const made = document.createElementNS(MATHML, "mo"); made.textContent = text; return made; };
// A side of a fraction beside a slash, in brackets where it needs some.
function side(node, above) {
  if (node.localName !== "mrow") return [node];
  return above && !hasSum(node) ? opened(node) : [sign("("), ...opened(node), sign(")")];
}
// What is in a row, long brackets opened, and long fractions with a slash.
function opened(row) {
  return [...row.children].flatMap(node => node.localName === "mfrac" && node.textContent.length > LONG
    ? [...side(node.firstChild, true), sign("/"), ...side(node.lastChild, false)] : node.localName === "mrow" && isSign(node.firstChild, OPENING) && node.textContent.length > WITHIN && hasSum(node) ? opened(node) : [node]);
}
function formed(node, form) {
  node.setAttribute("form", form);
  if (form !== "infix") node.setAttribute("stretchy", "false"); // its other half may be on another line
  return node;
}
// The mathematics as pieces: one begins at each plus or minus between terms, and behind each comma.
function inLines(math) {
  if (math.textContent.length < LONG || !(hasSum(math) || math.querySelector("mfrac"))) return [math];
  const pieces = [[]];
  let before = null;
  for (const node of opened(math)) {
    const first = before === null || isSign(before, OPENING) || before.textContent === ",";
    if (isSign(node, SUM_SIGNS) && !first) { pieces.push([formed(node, "infix")]); }
    else pieces.at(-1).push(isSign(node, OPENING) ? formed(node, "prefix") : isSign(node, CLOSING) ? formed(node, "postfix") : node);
    if (node.localName === "mo" && node.textContent === ",") pieces.push([]);
    before = node;
  }
  return pieces.filter(piece => piece.length).flatMap((piece, i) => {
    const made = document.createElementNS(MATHML, "math");
    made.append(...piece);
    return i ? [element("wbr"), made] : [made];
  });
}
