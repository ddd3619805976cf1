// The cards: live values, the formula of the present plan, and what unfolds.
const parser = new DOMParser();
find("#controls").append(...parser.parseFromString(FORM, "text/html").body.childNodes);
// What is parsed is this page's own text, never a reader's.
const parsed = place => parser.parseFromString(FOLDED[place], "text/html").body.childNodes;
all("[data-later]").forEach((section, place, { length }) => section.append(...parsed(FOLDED.length - length + place)));
// A part that unfolds has a heading, room for a command, and an inside that is put in when it is first opened.
const FOLDS = [];
function fold(card) {
  const each = { details: element("details", "", element("summary")), command: element("p", "command"), inside: element("div"), place: -1, filled: -1 };
  each.details.append(each.command, each.inside);
  card.append(each.details);
  FOLDS.push(each);
  return each;
}
function folded(each, place) {
  each.details.hidden = place < 0;
  if (each.place === place || place < 0) return;
  each.place = place;
  find("summary", each.details).replaceChildren(...parsed(place));
  if (each.details.open) unfold(each);
}
function unfold(each) {
  if (each.filled === each.place) return;
  each.filled = each.place;
  each.inside.replaceChildren(...parsed(each.place + 1));
  for (const math of all(".lines td:nth-child(3) > math", each.inside)) math.replaceWith(...inLines(math));
}
// Boxes that scroll are reached by the keyboard, and say so; whether one does is measured before anything is changed.
function reachable() {
  const boxes = all(".scroll").map(box => [box, box.clientWidth && box.scrollWidth > box.clientWidth]);
  for (const [box, wide] of boxes) if (wide !== box.classList.contains("wider")) {
    box.classList.toggle("wider", Boolean(wide));
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "scrolls sideways"]]) {
      if (wide) box.setAttribute(name, value); else box.removeAttribute(name);
    }
  }
}
let measuring = 0;
function measure() {
  cancelAnimationFrame(measuring);
  measuring = requestAnimationFrame(reachable);
}
const CARDS = all(".card").filter(card => NAMES.has(card.id)).map(card => {
  const body = find(".body", card), formula = find(".formula > span:last-child", card);
  const place = NAMES.get(card.id), { derived, sources } = DATA.quantities[place], most = Math.max(...derived.map(([, , , , , folds]) => folds.length));
  const plan = element("p", "plan"), value = element("div", "value"), folds = Array.from({ length: most }, () => fold(card));
  if (sources >= 0) folded(fold(card), sources);
  const letters = element("details", "letters", element("summary", "", "Where its numbers come from"), element("div", "scroll"));
  const under = find(".under", card) ?? element("p", "under");
  plan.hidden = true;
  body.firstChild.append(under, plan);
  body.append(value);
  card.append(letters);
  card.dataset.find += ` ${card.id} ${find("header p", card).textContent}`.toLowerCase();
  return { card, place, value, formula, plan, letters, derived, folds, under, mark: find("h3 abbr", card), still: [...formula.children].flatMap(inLines), stillUnder: [...under.childNodes], shown: "", key: "" };
});
const TILES = all("[data-headline]").map(tile => {
  const verdict = element("p", "verdict"), place = NAMES.get(tile.dataset.headline), fits = DATA.fits.find(([wanted]) => wanted === place);
  if (fits) tile.append(verdict);
  return { tile, place, value: find("dd", tile), verdict, fits, key: "" };
});
const MOST_DIGITS = 15;
// A tile has no room for words of what is wrong: a dash, and the words are below all of them.
function showTile(each) {
  const { value } = run.quantity(each.place), { unit } = DATA.quantities[each.place];
  const dash = element("span", "rounded", "—"), exact = bad(value) || value.low || value.about ? "" : textOf(value);
  each.tile.title = bad(value) ? value.text : value.low ? `${textOf(value.low)} to ${textOf(value.high)}` : value.about ? decimals(value, 15) : exact.slice(0, 300);
  each.value.replaceChildren(...(bad(value) ? [dash] : [roundedOf(show(value, unit))]));
  if (exact && value.d === 1n && exact.length <= MOST_DIGITS && !sameAsRounded(value, show(value, unit))) each.value.append(element("span", "exact", grouped(exact)));
  if (each.fits) showVerdict(each, ...each.fits);
}
function showVerdict({ verdict }, wanted, room, least, [yes, open, no]) {
  const [peak, left, states] = [wanted, room, least].map(place => run.quantity(place).value);
  const low = left.low ?? left, high = left.high ?? left;
  let is = "";
  if (!bad(left) && !bad(peak)) is = compare(peak.high ?? peak, low) <= 0 ? "holds" : compare(peak.low ?? peak, high) > 0 ? "fails" : "nearly";
  else if (!bad(left) && !bad(states) && compare(states.low ?? states, high) > 0) is = "fails";
  verdict.className = `verdict ${is}`;
  verdict.textContent = { holds: yes, nearly: open, fails: no }[is] ?? "";
  verdict.title = { holds: "the peak is below the low end of what is left for tensors", nearly: "the peak is between both ends of what is left for tensors", fails: "the peak is above all that is left for tensors" }[is] ?? "";
}
// What is wrong with the numbers that are shown first, each once, and not what a field of the plan says above them.
const MOST_REASONS = 3;
function showMissing() {
  const said = new Set(ENTRIES.filter(each => each.field.closest(".plan")).map(each => each.said.textContent)), found = new Set();
  for (const { place } of TILES) {
    const { id, value } = run.quantity(place);
    if (!bad(value)) continue;
    const text = value.entry ? state.set.get(value.letters[0]).text : value.text;
    if (!said.has(text)) found.add(run.kind.name === "none" && (id < 0 || value.missing) ? "Without a model: a dash is a number that needs one." : text);
  }
  const shown = [...found].slice(0, MOST_REASONS), more = found.size - shown.length;
  find("#missing").classList.toggle("plain", run.kind.name === "none");
  find("#missing").replaceChildren(...shown.concat(more ? [`and ${more} more: see the fields`] : []).map(text => element("li", "", text)));
}
const ENTRIES = all("[data-entry]").map(field => ({
  field, place: PLACE.get(field.dataset.entry), row: field.closest("[data-input]"), said: find(".said", field.parentElement), key: "",
}));

function lettersOf(node, found = new Map()) {
  const [operation, ...parts] = typeof DATA.nodes[node] === "string" ? [1] : DATA.nodes[node];
  if (operation === 0) found.set(parts[0], parts); else for (const part of parts) lettersOf(part, found);
  return found;
}
// A derivation is of one plan and of relations: where others hold, the formula of the present plan is shown instead.
function asStated([, same], id) {
  if (id < 0 || !same.includes(id)) return id < 0;
  const letters = [...lettersOf(DATA.variants[id][0]).keys()];
  return !letters.some(letter => run.relations.has(letter) && (state.set.has(letter) || run.chosen.some(each => each.at.has(letter))));
}
// A rounded number, its long figures in groups, what is in brackets smaller.
function roundedOf(text) {
  const parts = text.split(/ (?=\()|(?<=\)) /).flatMap(part => {
    const [, before, figures, after] = /^(\D*)(\d{5,})(.*)$/.exec(part) ?? [];
    return [element("span", part.startsWith("(") ? "other" : "", ...(figures ? [before, grouped(figures), after] : [part])), " "];
  });
  return element("output", "rounded", ...parts);
}
function showValue(box, entry, value, unit) {
  if (bad(value) && value.entry) { box.classList.add("stale"); return; }
  const text = bad(value) ? value.text : show(value, unit);
  const key = bad(value) ? text : `${text}|${value.low ? textOf(value.low) + textOf(value.high) : value.about ? decimals(value, 15) : textOf(value)}`;
  box.classList.remove("stale");
  if (entry.key === key) return;
  entry.key = key;
  if (bad(value)) { box.replaceChildren(element("span", "withheld", text)); return; }
  const parts = [roundedOf(text)];
  if (!sameAsRounded(value, text)) {
    const exact = element("span", "exact", exactly(value));
    exact.title = value.about ? "to fifteen digits" : "exact";
    parts.push(exact);
  }
  box.replaceChildren(...parts);
}
function showCard(each) {
  const { id, value } = run.quantity(each.place), { unit, dimensions } = DATA.quantities[each.place];
  showValue(each.value, each, value, unit);
  const mine = each.derived.find(([kind]) => kind === run.kind.name) ?? each.derived[0], own = mine === each.derived[0];
  const [, , derived, under, proved, folds] = mine, stated = asStated(mine, id), shown = stated ? `for ${mine[0]}` : `${id}`;
  if (shown !== each.shown) {
    each.shown = shown;
    each.formula.replaceChildren(...(stated && own ? each.still : inLines(mathematics(stated ? derived : DATA.variants[id][1]))));
    measure();
    each.under.replaceChildren(...(own ? each.stillUnder : under.flatMap((math, i) => [i ? ", " : "for ", mathematics(math)])));
    each.card.classList.toggle("planned", !stated);
    if (each.mark) each.mark.hidden = !stated || !proved; // the mark is of the derivation's own formula
  }
  const words = stated ? "" : `as it is for ${describe(dimensions) || "the sizes that are set"}`;
  if (each.plan.textContent !== words) { each.plan.textContent = words; each.plan.hidden = !words; }
  each.folds.forEach((fold, i) => folded(fold, folds[i] ?? -1));
  if (each.folds.some(({ details }) => details.open)) showCommand(each, stated);
  if (each.letters.open) showLetters(each, id);
}
function describe(dimensions) {
  const names = dimensions.map(([name]) => name), said = names.includes("kind") && run.kind.name !== "none" ? [run.kind.name] : [];
  if (names.includes("kind") && run.kind.name === "none") said.push("no model");
  const plan = planText(names);
  return said.concat(plan ? [plan] : []).join(", ");
}
function planText(names) {
  const items = [], degrees = new Set(DATA.choices.filter(each => names.includes(each.key) && each.needs).map(each => each.needs));
  for (const key of DATA.degrees) {
    if (run.degrees[key] !== "1" && (names.includes(key) || degrees.has(key))) items.push(`${DATA.planned[key]}=${textOf(run.input(PLACE.get(key)))}`);
  }
  for (const { key, options } of DATA.choices) {
    const value = run.choice[key];
    if (!names.includes(key) || (value === options[0][0] && !["attention", "mask"].includes(key))) continue;
    items.push(value === "1" && key === "sp" ? "sp" : `${DATA.planned[key]}=${value}`);
  }
  return items.join(",");
}
// What a quantity depends on, that of the quantities behind its letters included.
function dimensionsBelow(place, found = new Set(), seen = new Set()) {
  const { id } = run.quantity(place);
  if (seen.has(place)) return found;
  seen.add(place);
  for (const [name] of DATA.quantities[place].dimensions) found.add(name);
  for (const [letter, [, stands]] of id < 0 ? [] : lettersOf(DATA.variants[id][0])) {
    if (stands >= 0 && !state.set.has(letter)) dimensionsBelow(stands, found, seen);
  }
  return found;
}
function showCommand(each, stated) {
  const { name } = DATA.quantities[each.place], names = [...dimensionsBelow(each.place)], model = state.picks[DATA.pickers[0].key];
  const plan = planText(names), parts = ["python -m derive", name];
  if (names.includes("kind") && run.kind.name !== "none") parts.push(`--${DATA.pickers[0].key} ${model} --symbolic`);
  if (plan) parts.push(`--plan ${plan}`);
  for (const { command: line } of each.folds) {
    line.hidden = stated;
    line.replaceChildren("The formula above is another one: its lines are printed by ", element("code", "", parts.join(" ")));
  }
}
function showLetters(each, id) {
  const box = find("div", each.letters), body = element("tbody");
  for (const [place, [, stands, usual]] of id < 0 ? [] : lettersOf(DATA.variants[id][0])) {
    const { meaning, unit, math } = DATA.inputs[place], head = element("th", "", mathematics(math));
    head.scope = "row";
    let origin = element("span"), value;
    if (stands >= 0 && !state.set.has(place)) {
      value = run.quantity(stands).value;
      origin = element("a", "", DATA.quantities[stands].name);
      origin.href = `#${DATA.quantities[stands].name}`;
    } else {
      const found = run.given(place, usual);
      value = run.broken.has(place) ? new Wrong(run.broken.get(place)) : found.value;
      origin.textContent = found.origin;
      if (found.of >= 0) { origin = element("a", "", found.origin); origin.href = `#${found.origin}`; }
    }
    body.append(element("tr", "", head, element("td", "", meaning), element("td", "right", bad(value) ? value.text : show(value, unit)), element("td", "", origin)));
  }
  box.replaceChildren(body.children.length ? element("table", "", body) : element("p", "note", "No letters: it is a number."));
}

