// The page: what a reader sets, and what is shown of it.
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

// ---- cards ----
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
  body.append(plan, value);
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
function showCommand(each, stated) {
  const { name, dimensions } = DATA.quantities[each.place], names = dimensions.map(([key]) => key), model = state.picks[DATA.pickers[0].key];
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

// ---- entries ----
const PLAIN = new Set(["preset", "default", ""]); // origins that go without saying
function showEntries() {
  const own = new Set(run.kind.inputs), messages = new Map();
  for (const { place } of CARDS.length ? CARDS : TILES) {
    const { value } = run.quantity(place);
    if (bad(value)) for (const letter of value.letters) if (!messages.has(letter) && value.split) messages.set(letter, value.text);
  }
  const sizes = new Set(DATA.kinds.flatMap(kind => kind.inputs));
  for (const each of ENTRIES) {
    const { field, place, row, said } = each, set = state.set.get(place), input = DATA.inputs[place];
    if (document.activeElement !== field) field.value = state.texts.get(place) ?? "";
    const found = set ? { value: set, origin: "set here" } : run.given(place, DATA.inputs[place].usual);
    const sure = found.origin && !bad(found.value), stands = !set && !sure && input.stands >= 0 ? input.stands : found.of ?? -1;
    const value = stands >= 0 && !set ? run.quantity(stands).value : found.value;
    field.placeholder = bad(value) ? "—" : value.low ? `${plain(value.low, input)} to ${plain(value.high, input)}` : plain(value, input);
    const wrong = set && bad(set) ? set.text : run.broken.get(place) ?? messages.get(place) ?? "";
    const text = wrong || (set ? (input.unit === "1" ? "" : show(set, input.unit)) : stands >= 0 ? `= ${DATA.quantities[stands].name}` : PLAIN.has(found.origin) ? "" : found.origin);
    if (said.textContent !== text) said.textContent = text;
    field.setAttribute("aria-invalid", wrong ? "true" : "false");
    row.classList.toggle("wrong", Boolean(wrong));
    row.classList.toggle("set", Boolean(set) && !wrong);
    row.classList.toggle("absent", sizes.has(place) && !own.has(place));
  }
}
const plain = (x, input) => (x.about ? decimals(x, 6) : x.d === 1n && x.n < 10n ** 7n ? textOf(x) : show(x, input.unit).replace(/ \(.*| (?:parameter|token|device).*|\/(?:token|device).*/, ""));

function showControls() {
  for (const field of all("[data-pick]")) field.value = state.picks[field.dataset.pick];
  for (const field of all("[data-choice]")) {
    const choice = DATA.choices.find(each => each.key === field.dataset.choice);
    field.value = run.choice[choice.key];
    field.disabled = Boolean(choice.needs) && run.degrees[choice.needs] === "1";
    field.title = field.disabled ? `${DATA.planned[choice.needs]} is 1` : "";
  }
}

// ---- recompute ----
let quiet = 0;
function compute() {
  const start = performance.now();
  run = new Run(state);
  for (let place = 0; place < DATA.quantities.length; place += 1) run.quantity(place);
  spent = performance.now() - start;
  for (const each of TILES) showValue(each.value, each, run.quantity(each.place).value, DATA.quantities[each.place].unit);
  CARDS.forEach(showCard);
  showEntries();
  showControls();
}
function changed() {
  compute();
  remember();
  clearTimeout(quiet);
  quiet = setTimeout(() => { find("#notes").textContent = ""; find("#found").textContent = "Numbers are computed again."; }, 900);
}
function remember() {
  try { history.replaceState(null, "", fragmentOf(state)); } catch { /* a page without an address */ }
}
function themed() {
  const button = find("#theme"), words = state.theme || "as the system has them";
  if (state.theme) document.documentElement.dataset.theme = state.theme; else delete document.documentElement.dataset.theme;
  button.setAttribute("aria-label", `Colours: ${words}`);
  button.title = `Colours: ${words}`;
}
function restore() {
  const target = location.hash.slice(1);
  if (target && !target.includes("=") && document.getElementById(target)) { goTo(target); return; }
  const { setting, ignored } = settingOf(location.hash);
  state = setting;
  find("#notes").textContent = ignored.length ? `Not understood in the address, and left out: ${ignored.slice(0, 8).join(", ")}` : "";
  themed();
  compute();
}
function goTo(id) {
  const target = document.getElementById(id);
  if (!target) return;
  if (target.classList.contains("out")) { find("#search").value = ""; filter(); }
  target.scrollIntoView();
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}
function filter() {
  const words = find("#search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let left = 0;
  for (const card of all("[data-find]")) {
    const there = words.every(word => card.dataset.find.includes(word));
    card.classList.toggle("out", !there);
    left += there;
  }
  for (const topic of all(".topic")) topic.classList.toggle("out", words.length > 0 && !find("[data-find]:not(.out)", topic));
  document.body.classList.toggle("searching", words.length > 0);
  find("#found").textContent = words.length ? `${left} formulas found` : "";
}

document.addEventListener("input", event => {
  const { entry } = event.target.dataset;
  if (event.target.id === "search") filter();
  if (entry !== undefined) { enter(state, PLACE.get(entry), event.target.value.trim()); changed(); }
});
document.addEventListener("change", event => {
  const { pick, choice } = event.target.dataset;
  if (pick !== undefined) {
    state.picks[pick] = event.target.value;
    if (pick === DATA.pickers[0].key) { for (const key of Object.keys(PRESETS[0].get(event.target.value).choices)) delete state.choices[key]; }
  }
  if (choice !== undefined) state.choices[choice] = event.target.value;
  if (pick !== undefined || choice !== undefined) changed();
});
document.addEventListener("toggle", event => {
  if (!event.target.open) return;
  FOLDS.filter(each => each.details === event.target).forEach(unfold);
  CARDS.filter(each => each.card.contains(event.target)).forEach(showCard);
}, true);
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']");
  if (link) { event.preventDefault(); goTo(decodeURIComponent(link.getAttribute("href").slice(1))); }
  if (event.target.closest("#theme")) { state.theme = { "": "light", light: "dark", dark: "" }[state.theme]; themed(); remember(); }
});
document.addEventListener("keydown", event => {
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); find("#search").focus(); }
  if (event.key === "Escape" && event.target.id === "search") { event.target.value = ""; filter(); event.target.blur(); }
});
document.addEventListener("submit", event => event.preventDefault());
window.addEventListener("hashchange", restore);
window.addEventListener("beforeprint", () => {
  for (const { derivation } of CARDS) {
    if (!derivation) continue;
    FOLDS.filter(each => each.details === derivation).forEach(unfold);
    derivation.dataset.was = derivation.open;
    derivation.open = true;
  }
});
window.addEventListener("afterprint", () => { for (const { derivation } of CARDS) if (derivation) derivation.open = derivation.dataset.was === "true"; });
for (const each of all(".live")) each.hidden = false;
restore();
reachable(document);
window.shapeproof = Object.freeze({
  evaluate, spent: () => spent, recompute: () => { compute(); return spent; },
  parse: (text, input) => { const found = input ? parseLetter(input, text) : parseValue(text); return bad(found) ? { wrong: found.text } : input ? { value: textOf(found) } : { value: textOf(found.value), unit: found.unit }; },
  show: (text, unit, iec) => show(rational(text), unit, iec),
});
