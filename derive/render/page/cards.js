// The cards: live values, the formula of the present plan, and what unfolds.
const parser = new DOMParser();
find("#controls").append(...parser.parseFromString(FORM, "text/html").body.childNodes);
const FOLDS = all(".card > details").map((details, place) => ({ details, inside: FOLDED[place] }));
// What a card unfolds to is put in when it is first opened; it is this page's own text, never a reader's.
function unfold(each) {
  if (each.inside === undefined) return;
  each.details.append(...parser.parseFromString(each.inside, "text/html").body.childNodes);
  each.inside = undefined;
  reachable(each.details);
}
// Boxes that scroll are reached by the keyboard.
function reachable(inside) {
  for (const box of all(".scroll", inside)) if (box.scrollWidth > box.clientWidth) { box.tabIndex = 0; box.setAttribute("role", "group"); box.setAttribute("aria-label", "scrolls sideways"); }
}
const CARDS = all(".card").filter(card => NAMES.has(card.id)).map(card => {
  const body = find(".body", card), formula = find(".formula > span:last-child", card), derivation = find("details", card);
  const plan = element("p", "plan"), value = element("div", "value"), command = element("p", "note");
  const letters = element("details", "letters", element("summary", "", "Where its numbers come from"), element("div", "scroll"));
  plan.hidden = true;
  body.firstChild.append(plan);
  body.append(value);
  card.append(letters);
  card.dataset.find += ` ${card.id} ${find("header p", card).textContent}`.toLowerCase();
  return { card, place: NAMES.get(card.id), value, formula, plan, command, letters, derivation, still: [...formula.childNodes], shown: -1, key: "" };
});
const TILES = all("[data-headline]").map(tile => ({ tile, place: NAMES.get(tile.dataset.headline), value: find("dd", tile), key: "" }));
const ENTRIES = all("[data-entry]").map(field => ({
  field, place: PLACE.get(field.dataset.entry), row: field.closest("[data-input]"), said: find(".said", field.parentElement), key: "",
}));

function lettersOf(node, found = new Map()) {
  const [operation, ...parts] = typeof DATA.nodes[node] === "string" ? [1] : DATA.nodes[node];
  if (operation === 0) found.set(parts[0], parts); else for (const part of parts) lettersOf(part, found);
  return found;
}
// A card's formula as printed is of its stated plan and relations: else that of the present plan is put in its place.
function asStated(place, id) {
  const { stated } = DATA.quantities[place];
  if (id !== stated) return false;
  const letters = [...lettersOf(DATA.variants[id][0]).keys()];
  return !letters.some(letter => run.relations.has(letter) && (state.set.has(letter) || run.chosen.some(each => each.at.has(letter))));
}
function showValue(box, entry, value, unit) {
  if (bad(value) && value.entry) { box.classList.add("stale"); return; }
  const text = bad(value) ? value.text : show(value, unit);
  const key = bad(value) ? text : `${text}|${value.low ? textOf(value.low) + textOf(value.high) : value.about ? decimals(value, 15) : textOf(value)}`;
  box.classList.remove("stale");
  if (entry.key === key) return;
  entry.key = key;
  if (bad(value)) { box.replaceChildren(element("span", "withheld", text)); return; }
  const parts = [element("output", "rounded", ...text.split(/ (?=\()|(?<=\)) /).flatMap(part => [element("span", part.startsWith("(") ? "other" : "", part), " "]))];
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
  const stated = id >= 0 && asStated(each.place, id), shown = id < 0 || stated ? -1 : DATA.variants[id][1];
  if (shown !== each.shown) {
    each.shown = shown;
    each.formula.replaceChildren(...(shown < 0 ? each.still : [mathematics(shown)]));
    each.card.classList.toggle("planned", shown >= 0);
  }
  const words = shown < 0 ? "" : `as it is for ${describe(dimensions) || "the sizes that are set"}`;
  if (each.plan.textContent !== words) { each.plan.textContent = words; each.plan.hidden = !words; }
  if (each.derivation && each.derivation.open) showCommand(each, shown < 0);
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
  each.command.replaceChildren(stated ? "These lines are of the stated plan, which is also the present one: " : "These lines are of the stated plan. Those of the present one: ", element("code", "", parts.join(" ")));
  if (!each.command.isConnected) each.derivation.append(each.command);
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

