// The page: what a reader sets, and what follows.
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
  const target = location.hash.slice(1), place = target && !target.includes("=") && document.getElementById(target);
  if (place && run) { goTo(target); return; }
  const { setting, ignored } = settingOf(place ? "" : location.hash);
  state = setting;
  find("#notes").textContent = ignored.length ? `Not understood in the address, and left out: ${ignored.slice(0, 8).join(", ")}` : "";
  themed();
  compute();
  if (place) goTo(target);
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
