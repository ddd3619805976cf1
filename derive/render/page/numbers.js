// Numbers as people write them, read exactly, and exact values shown in four digits: as derive.values has it.
const LARGEST = TEN ** 40n, LONGEST = 60;
const SUFFIXES = (() => {
  const table = new Map([["", [1n, 1n, null]], ["%", [1n, 100n, null]]]);
  for (const [s, n] of [["K", 1n], ["k", 1n], ["M", 2n], ["B", 3n], ["T", 4n]]) table.set(s, [1000n ** n, 1n, null]);
  ["Ki", "Mi", "Gi", "Ti"].forEach((s, n) => table.set(s, [1024n ** BigInt(n + 1), 1n, null]));
  ["kB", "MB", "GB", "TB", "PB"].forEach((s, n) => table.set(s, [1000n ** BigInt(n + 1), 1n, "byte"]));
  ["KiB", "MiB", "GiB", "TiB", "PiB"].forEach((s, n) => table.set(s, [1024n ** BigInt(n + 1), 1n, "byte"]));
  for (const [s, n] of [["s", 1n], ["min", 60n], ["h", 3600n], ["d", 86400n]]) table.set(s, [n, 1n, "second"]);
  return table;
})();
const DECIMAL = /^(-?)([0-9](?:_?[0-9])*)(?:\.([0-9](?:_?[0-9])*))?(?:[eE]([+-]?[0-9]+))?(%|[A-Za-z]*)$/;
const POWER_TEXT = /^([0-9](?:_?[0-9])*)\^([0-9](?:_?[0-9])*)$/;
const EXAMPLES = "write it like 7B, 4Mi, 2^22, 989e12, 80GB, 30d, 40% or 1_000";
const REASONS = [
  [/^$/, "it is empty"], [/\s/, "it has a space in it"], [/,/, "a comma is ambiguous"],
  [/\^.*\^/, "a power has one exponent"], [/\^/, "a power is of two whole numbers, without sign or suffix"],
  [/^\+/, "a number has no plus sign"], [/(?:)/, "it is not a number"],
];
const quoted = text => text.length <= LONGEST ? `'${text}'` : `'${text.slice(0, 3)}...' (${text.length} characters)`;
const unreadable = (text, reason) => new Wrong(`cannot read ${quoted(text)}: ${reason}; ${EXAMPLES}`);
const tooLarge = text => Object.assign(unreadable(text, "it is above 10^40"), { large: true });
const digits = text => text.replaceAll("_", "");

function aboutSuffix(suffix) {
  const known = [...SUFFIXES.keys()], lower = suffix.toLowerCase();
  const same = known.filter(x => x.toLowerCase() === lower);
  const close = same.length ? same : known.filter(x => x.toLowerCase().startsWith(lower));
  const shown = suffix.length <= 12 ? suffix : `${suffix.slice(0, 9)}...`;
  return `unknown suffix '${shown}'${close.length ? `, did you mean ${close.join(" or ")}?` : ""}`;
}
function readPower(text, [, first, second]) {
  const base = BigInt(digits(first)), exponent = BigInt(digits(second));
  if (base === 0n && exponent === 0n) return unreadable(text, "0^0 has no value");
  const most = BigInt(bits(LARGEST)), value = base ** (exponent < most ? exponent : most);
  return value > LARGEST ? tooLarge(text) : { value: made(value, 1n), unit: null };
}
// The exact number that a text writes and the unit of its suffix, or what is wrong with it.
function parseValue(text) {
  if (text.length > LONGEST) return /^[0-9_]+$/.test(text) ? tooLarge(text) : unreadable(text, "it is too long");
  const asPower = POWER_TEXT.exec(text);
  if (asPower) return readPower(text, asPower);
  const match = DECIMAL.exec(text);
  if (!match) return unreadable(text, REASONS.find(([pattern]) => pattern.test(text))[1]);
  const [, sign, front, after = "", exponent = "0", suffix] = match;
  if (!SUFFIXES.has(suffix)) return unreadable(text, aboutSuffix(suffix));
  const part = digits(after), [above, below, unit] = SUFFIXES.get(suffix), most = BigInt(3 * LONGEST);
  let shift = BigInt(exponent) - BigInt(part.length);
  shift = shift < -most ? -most : shift > most ? most : shift;
  const coefficient = BigInt(digits(front) + part) * above;
  const value = shift >= 0n ? reduced(coefficient * TEN ** shift, below) : reduced(coefficient, below * TEN ** -shift);
  if (compare(value, made(LARGEST, 1n)) > 0) return tooLarge(text);
  if (value.n > 0n && compare(value, made(1n, LARGEST)) < 0) return unreadable(text, "it is below 10^-40");
  return { value: sign ? negative(value) : value, unit };
}
function parseWhole(text, name) {
  const found = parseValue(text);
  if (bad(found)) {
    return new Wrong(`${name} must be a positive integer${found.large ? " of at most 10^40" : ""}: got ${quoted(text)}`);
  }
  const { value, unit } = found;
  return unit || text.endsWith("%") || value.n < 1n || value.d !== 1n
    ? new Wrong(`${name} must be a positive integer: got ${quoted(text)}`) : value;
}
function parseAmount(text, name, unit, most) {
  const found = parseValue(text);
  if (bad(found)) return new Wrong(`${name}: ${found.text}`);
  if (found.unit !== null && found.unit !== unit) return new Wrong(`${name} is in ${unit}: got ${quoted(text)}, which is in ${found.unit}`);
  if (found.value.n <= 0n) return new Wrong(`${name} must be positive: got ${quoted(text)}`);
  if (most !== null && compare(found.value, whole(most)) > 0) return new Wrong(`${name} is at most ${most}: got ${quoted(text)}, which is ${textOf(found.value)}`);
  return found.value;
}
// The value of a letter: a positive integer, or 0 for an index, or an amount in its unit.
function parseLetter(input, text) {
  if (input.least === 0 && input.whole && text === "0") return ZERO;
  if (input.whole && input.unit !== "byte") return parseWhole(text, input.name);
  const found = parseAmount(text, input.name, input.unit, input.most);
  if (bad(found) || !input.whole || found.d === 1n) return found;
  return new Wrong(`${input.name} is a whole number of ${input.unit}s: got ${quoted(text)}, which is ${textOf(found)}`);
}

// ---- showing ----
// Only to be compared and rounded: such fractions stay as they come.
const tenTo = (x, e) => e >= 0 ? made(x.n * TEN ** BigInt(e), x.d) : made(x.n, x.d * TEN ** BigInt(-e));
function magnitude(x) {
  let guess = `${x.n}`.length - `${x.d}`.length;
  while (compare(tenTo(ONE, guess), x) > 0) guess -= 1;
  while (compare(tenTo(ONE, guess + 1), x) <= 0) guess += 1;
  return guess;
}
function roundedEven(x) {
  const q = x.n / x.d, rest = 2n * (x.n % x.d);
  return rest > x.d || (rest === x.d && q % 2n === 1n) ? q + 1n : q;
}
function rounded(x, places = 4) {
  if (x.n === 0n) return [0n, 0];
  const exponent = magnitude(x), coefficient = roundedEven(tenTo(x, places - 1 - exponent));
  return coefficient === TEN ** BigInt(places) ? [coefficient / TEN, exponent + 1] : [coefficient, exponent];
}
function afterRounding(x) { const [c, e] = rounded(x); return tenTo(made(c, 1n), e - 3); }
function significant(x, places = 4) {
  if (x.n === 0n) return "0";
  const [c, e] = rounded(x, places);
  const figures = `${c}`.padStart(places - Math.min(e, 0), "0").padEnd(e + 1, "0"), point = Math.max(e, 0) + 1;
  return figures.length > point ? `${figures.slice(0, point)}.${figures.slice(point)}` : figures;
}
function four(x) {
  const [c, e] = rounded(x);
  return e >= -4 && e < 4 ? significant(x) : `${significant(made(c, 1000n))}e${e}`;
}
const wholeOrFour = x => x.d === 1n && x.n < 1000000n ? `${x.n}` : four(x);
function plainNumber(x) {
  let [figures, exponent] = wholeOrFour(x).split("e");
  if (figures.includes(".") && compare(afterRounding(x), x) === 0) figures = figures.replace(/0+$/, "").replace(/\.$/, "");
  return exponent === undefined ? figures : `${figures}e${exponent}`;
}
const ladder = (step, labels) => [...labels.split(","), ""].map((label, n) => [BigInt(step) ** BigInt(n), label]);
const COUNTS = ladder(1000, ",K,M,B,T"), FLOPS = ladder(1000, " FLOP, kFLOP, MFLOP, GFLOP, TFLOP, PFLOP, EFLOP");
const SI = ladder(1000, " B, kB, MB, GB, TB, PB, EB"), IEC = ladder(1024, " B, KiB, MiB, GiB, TiB, PiB, EiB");
function climbed(x, steps) {
  for (let i = 0; i + 1 < steps.length; i += 1) {
    const [step, label] = steps[i], scaled = made(x.n, x.d * step);
    if (compare(afterRounding(scaled), made(steps[i + 1][0], step)) < 0) {
      return (step === 1n ? wholeOrFour(x) : four(scaled)) + label;
    }
  }
  return four(x) + steps[0][1];
}
const TIMES = [[172800, 86400, " days"], [7200, 3600, " hours"], [120, 60, " minutes"]];
function seconds(x) {
  for (const [above, length, label] of TIMES) {
    if (compare(x, whole(above)) > 0) {
      const places = magnitude(x) + (x.d === 1n ? 1 : 2);
      return [four(over(x, whole(length))) + label, `${places < 16 ? significant(x, places) : four(x)} s`];
    }
  }
  return [`${wholeOrFour(x)} s`];
}
const hours = x => compare(x, whole(1000)) >= 0 && compare(x, whole(1000000)) < 0 ? `${roundedEven(x)}` : climbed(x, COUNTS);
const nouns = (noun, text) => x => [`${text(x)} ${noun}${x.n === x.d ? "" : "s"}`];
const counted = x => climbed(x, COUNTS);
const SHOWN = new Map([
  ["byte", (x, iec) => [...new Set((iec ? [IEC, SI] : [SI, IEC]).map(steps => climbed(x, steps)))]],
  ["FLOP", x => [climbed(x, FLOPS)]], ["token", nouns("token", counted)], ["parameter", nouns("parameter", counted)],
  ["device", nouns("device", plainNumber)], ["device*hour", nouns("device-hour", hours)], ["second", seconds],
  ["dollar", x => [`$${counted(x)}`]], ["1", x => [plainNumber(x)]],
]);
function show(x, unit, iec = false) {
  if (x.low) return `${show(x.low, unit, iec)} to ${show(x.high, unit, iec)}`;
  const sign = x.n < 0n ? "-" : "", value = made(size(x.n), x.d);
  const [first, ...others] = unit.split("/"), texts = SHOWN.get(first);
  if (!texts) return `${sign}${plainNumber(value)} ${unit}`;
  const per = others.map(other => `/${other === "second" ? "s" : other}`).join("");
  const [head, ...more] = texts(value, iec).map(text => sign + text + per);
  return head + more.map(text => ` (${text})`).join("");
}
