// The page: what a reader sets, and what follows.
// ---- entries ----
const PLAIN = new Set(["preset", "default", ""]); // origins that go without saying
function showEntries() {
  const own = new Set(run.kind.inputs), messages = new Map();
  for (const { place } of CARDS.length ? CARDS : TILES) {
    const { is } = run.variant(place), refused = Array.isArray(is) ? run.undivided(is[2]) : null;
    for (const letter of refused?.split ? refused.letters : []) if (messages.get(letter)?.padded ?? true) messages.set(letter, refused);
  }
  const sizes = new Set(DATA.kinds.flatMap(kind => kind.inputs));
  for (const each of ENTRIES) {
    const { field, place, row, said } = each, set = state.set.get(place), input = DATA.inputs[place];
    if (document.activeElement !== field) field.value = state.texts.get(place) ?? "";
    const found = set ? { value: set, origin: "set here" } : run.given(place, DATA.inputs[place].usual);
    const sure = found.origin && !bad(found.value), stands = !set && !sure && input.stands >= 0 ? input.stands : found.of ?? -1;
    const value = stands >= 0 && !set ? run.quantity(stands).value : found.value;
    field.placeholder = bad(value) ? "—" : value.low ? `${typed(value.low, input)} to ${typed(value.high, input)}` : typed(value, input);
    const wrong = set && bad(set) ? set.text : run.broken.get(place) ?? messages.get(place)?.text ?? (found.value.lacking ? found.value.text : "");
    const other = set && !wrong ? otherwise(place, set) : "";
    const text = wrong || other || (set ? (input.unit === "1" ? "" : show(set, input.unit)) : stands >= 0 ? `= ${DATA.quantities[stands].name}` : PLAIN.has(found.origin) ? "" : found.origin);
    if (said.textContent !== text) said.textContent = text;
    field.setAttribute("aria-invalid", wrong ? "true" : "false");
    row.classList.toggle("wrong", Boolean(wrong));
    row.classList.toggle("differs", Boolean(other));
    row.classList.toggle("set", Boolean(set) && !wrong);
    row.classList.toggle("absent", sizes.has(place) && !own.has(place));
  }
}
// What was typed for a letter that stands for a quantity which is another one here: that quantity keeps its own value.
function otherwise(place, set) {
  const { name, stands, behind, unit } = DATA.inputs[place], of = stands >= 0 ? stands : behind, value = of >= 0 ? run.quantity(of).value : null;
  if (!value || bad(value) || value.low || show(value, unit) === show(set, unit)) return "";
  return `${DATA.quantities[of].name} is ${show(value, unit).replace(/ \(.*| (?:parameter|token|device)s?$/g, "")} here; what uses ${name} takes what you typed`;
}

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
  TILES.forEach(showTile);
  CARDS.forEach(showCard);
  showEntries();
  showMissing();
  showControls();
  showChosen();
}
// For paper: all that is chosen, in one line.
function showChosen() {
  const names = DATA.pickers.map(({ key }, place) => PRESETS[place].get(state.picks[key]).title), set = [];
  for (const [place, value] of state.set) if (!bad(value) && !DATA.degrees.includes(DATA.inputs[place].key)) set.push(`${DATA.inputs[place].name} = ${state.texts.get(place)}`);
  const plan = planText([...DATA.degrees, ...DATA.choices.map(each => each.key)]);
  find("#chosen").textContent = [names.join(" on "), ...(set.length ? [set.join(", ")] : []), `plan ${plan || "of one device"}`].join("; ");
}
function changed() {
  compute();
  remember();
  clearTimeout(quiet);
  quiet = setTimeout(() => { find("#notes").textContent = ""; }, 900);
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
  const target = location.hash.slice(1), place = target && !target.includes("=") && document.getElementById(target);
  if (place && run) { goTo(target); return; }
  const { setting, ignored } = settingOf(place ? "" : location.hash);
  state = setting;
  find("#notes").textContent = ignored.length ? `Not understood in the address, and left out: ${ignored.slice(0, 8).join(", ")}` : "";
  themed();
  compute();
  if (place) goTo(target);
}
function goTo(id, outline = false) {
  const target = document.getElementById(id);
  if (!target) return;
  if (outline || !target.getClientRects().length) clearSearch();
  target.scrollIntoView();
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}
// ---- search ----
// What a card is found by beside its own text: its topic, what its letters mean, and who states it where.
function searched(card) {
  const found = [card.dataset.find, find("h2", card.closest("section"))?.textContent, card.closest("[data-topic]")?.dataset.topic];
  const place = NAMES.get(card.id), { stated, sources = -1 } = DATA.quantities[place] ?? {};
  if (sources >= 0) for (const [, source, where] of FOLDED[sources + 1].matchAll(/<b>(.*?)<\/b>(.*?)<(?:code|div)/g)) found.push(source, where);
  if (stated >= 0 && typeof DATA.variants[stated] !== "string") for (const letter of lettersOf(DATA.variants[stated][0]).keys()) found.push(DATA.inputs[letter].meaning);
  return found.join(" ").toLowerCase();
}
const TEXTS = new Map(all("[data-find]").map(card => [card, searched(card)]));
const PARTS = all("main > section").map(section => ({ section, text: all("h2, h3:not(.card h3)", section).map(each => each.textContent).join(" ").toLowerCase() }));
// What is meant by words that people use for it: every word starts one of an alias.
const meant = words => new Set(Object.entries(DATA.aliases).filter(([alias]) => words.every(word => word.length > 1 && alias.split(" ").some(each => each.startsWith(word)))).flatMap(([, names]) => names));
let unfolded = null;
function filter() {
  const words = find("#search").value.toLowerCase().split(/\s+/).filter(Boolean), searching = words.length > 0;
  const names = searching ? meant(words) : new Set();
  let left = 0;
  for (const [card, text] of TEXTS) {
    const there = names.has(card.id) || words.every(word => text.includes(word));
    card.classList.toggle("out", !there);
    left += there;
  }
  for (const topic of all(".topic")) topic.classList.toggle("out", searching && !find("[data-find]:not(.out)", topic));
  let parts = 0;
  for (const { section, text } of PARTS) {
    const own = !find("[data-find]", section) && searching && (names.has(section.id) || words.every(word => text.includes(word)));
    section.classList.toggle("hit", own || Boolean(find("[data-find]:not(.out)", section)));
    parts += own;
  }
  // The long tables fold while one searches, so that what is found is below the plan and its numbers.
  if (searching && !unfolded) { unfolded = all(".inputs[open]"); for (const each of unfolded) each.open = false; }
  if (!searching && unfolded) { for (const each of unfolded) each.open = true; unfolded = null; }
  document.body.classList.toggle("searching", searching);
  const text = `${left} formula${left === 1 ? "" : "s"}${parts ? ` and ${parts} other part${parts === 1 ? "" : "s"}` : ""} found`;
  const first = searching && find(".card:not(.out), section.hit:not(:has([data-find]))"), link = element("a", "", `${text} ↓`);
  if (first) link.href = `#${first.id}`;
  find("#found").replaceChildren(...(!searching ? [] : first ? [link] : [text]));
  for (const button of all(".found .clear")) button.hidden = !searching;
  find("#nothing").hidden = !searching || left + parts > 0;
  find("#nothing span").textContent = `Nothing here is called “${find("#search").value.trim().slice(0, 60)}”: names, titles, topics, letters and sources were searched.`;
}
function clearSearch() {
  if (!find("#search").value) return;
  find("#search").value = "";
  filter();
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
  measure();
  CARDS.filter(each => each.card.contains(event.target)).forEach(showCard);
}, true);
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']");
  if (link) { event.preventDefault(); goTo(decodeURIComponent(link.getAttribute("href").slice(1)), Boolean(link.closest(".outline > ul"))); }
  if (event.target.closest(".clear")) { clearSearch(); find("#search").focus(); }
  if (event.target.closest("#theme")) { state.theme = { "": "light", light: "dark", dark: "" }[state.theme]; themed(); remember(); }
});
document.addEventListener("keydown", event => {
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); find("#search").focus(); }
  if (event.key === "Enter" && event.target.id === "search") { const first = find("#found a"); if (first) goTo(first.hash.slice(1)); }
  if (event.key === "Escape" && event.target.id === "search") { clearSearch(); event.target.blur(); }
});
document.addEventListener("submit", event => event.preventDefault());
window.addEventListener("hashchange", restore);
for (const each of all(".live")) each.hidden = false;
window.addEventListener("resize", measure);
restore();
measure();
window.shapeproof = Object.freeze({
  evaluate, spent: () => spent, recompute: () => { compute(); return spent; },
  parse: (text, input) => { const found = input ? parseLetter(input, text) : parseValue(text); return bad(found) ? { wrong: found.text } : input ? { value: textOf(found) } : { value: textOf(found.value), unit: found.unit }; },
  show: (text, unit, iec) => show(rational(text), unit, iec),
});
