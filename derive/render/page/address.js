// The setting in the address: only known fields with valid values are taken from it, anything else is named and left out.
const ALIAS = new Map(DATA.inputs.map((input, place) => [DATA.planned[input.key] ?? input.key, place]));
const THEMES = ["light", "dark"];
const emptySetting = () => ({ picks: Object.fromEntries(DATA.pickers.map(each => [each.key, each.first])), choices: {}, set: new Map(), texts: new Map(), theme: "" });

const MOST = 2 ** 16; // characters: far more than the page writes when every field is set
// A longer address is cut between two fields: half a field is another number.
function fields(fragment) {
  const text = fragment.replace(/^#/, "");
  return text.length <= MOST ? text.split("&") : text.slice(0, MOST + 1).split("&").slice(0, -1);
}
function pieces(fragment) {
  const found = [];
  for (const part of fields(fragment)) {
    if (!part) continue;
    const [key, ...rest] = part.split("=");
    try { found.push([decodeURIComponent(key), decodeURIComponent(rest.join("="))]); } catch { found.push([part, ""]); }
  }
  return found;
}
// The setting that a fragment writes, and the fields of it that were not taken.
function settingOf(fragment) {
  const setting = emptySetting(), ignored = [];
  for (const [key, text] of pieces(fragment)) {
    const picker = DATA.pickers.findIndex(each => each.key === key), choice = DATA.choices.find(each => each.key === key);
    if (key === "theme" && THEMES.includes(text)) setting.theme = text;
    else if (picker >= 0 && PRESETS[picker].has(text)) setting.picks[key] = PRESETS[picker].get(text).name;
    else if (choice && choice.options.some(([value]) => value === (text === "none" ? "" : text))) setting.choices[key] = text === "none" ? "" : text;
    else if (ALIAS.has(key) && !bad(parseLetter(DATA.inputs[ALIAS.get(key)], text))) enter(setting, ALIAS.get(key), text);
    else ignored.push(`${key}${text ? `=${text}` : ""}`.slice(0, 40));
  }
  if (fragment.length > MOST + 1) ignored.unshift(`what is behind its first ${MOST} characters`);
  return { setting, ignored };
}
function enter(setting, place, text) {
  if (text === "") { setting.set.delete(place); setting.texts.delete(place); return; }
  setting.texts.set(place, text);
  setting.set.set(place, parseLetter(DATA.inputs[place], text));
}
function fragmentOf(setting) {
  const parts = DATA.pickers.map(({ key }) => [key, setting.picks[key]]);
  for (const { key } of DATA.choices) if (key in setting.choices) parts.push([key, setting.choices[key] || "none"]);
  for (const [key, place] of ALIAS) if (setting.set.has(place) && !bad(setting.set.get(place))) parts.push([key, setting.texts.get(place)]);
  if (setting.theme) parts.push(["theme", setting.theme]);
  return `#${parts.map(([key, text]) => `${encodeURIComponent(key)}=${encodeURIComponent(text).replaceAll("%5E", "^")}`).join("&")}`;
}
