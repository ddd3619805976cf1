// A value as a person would type it: 989T, 3.35T, 80GB, 12h, 8192; exactly where four digits are enough for that.
const PLAIN_BELOW = made(10n ** 7n, 1n);
const suffixes = unit => [...SUFFIXES].filter(([suffix, [, , of]]) => suffix !== "%" && suffix !== "k" && of === unit).map(([suffix, [above, below]]) => [suffix, reduced(above, below)]);
const STEPS = new Map([["byte", suffixes("byte")], ["second", suffixes("second")], ["", suffixes(null)]]);
function typed(x, input) {
  if (x.about || x.n <= 0n) return decimals(x, 6);
  if (x.d === 1n && !STEPS.has(input.unit) && compare(x, PLAIN_BELOW) < 0) return textOf(x);
  if (!STEPS.has(input.unit) && compare(x, whole(10000)) < 0) return plainNumber(x);
  const texts = (STEPS.get(input.unit) ?? STEPS.get("")).map(([suffix, step]) => [over(x, step), suffix, step])
    .filter(([scaled]) => compare(scaled, ONE) >= 0 && compare(scaled, whole(10000)) < 0)
    .map(([scaled, suffix, step]) => [`${plainNumber(scaled)}${suffix}`, step]);
  const exact = texts.filter(([text]) => { const found = parseLetter(input, text); return !bad(found) && compare(found, x) === 0; });
  const near = exact.length ? exact : texts.filter(([text]) => !text.includes("i"));
  return near.reduce(([best, least], [text, step]) => (compare(step, least) > 0 ? [text, step] : [best, least]), [plainNumber(x), ZERO])[0];
}
