// Exact rational numbers on BigInt; an irrational root or power has some sixty digits and is marked as approximate.
const TEN = 10n, MOST_BITS = 200000, PLACES = 100, WORK = 300n;

class Wrong { constructor(text, letters) { this.text = text; this.letters = letters || []; } }
const bad = x => x instanceof Wrong;
const size = x => (x < 0n ? -x : x);
const bits = x => { const hex = size(x).toString(16); return x === 0n ? 0 : 4 * hex.length - Math.clz32(parseInt(hex[0], 16)) + 28; };
const gcd = (a, b) => { a = size(a); b = size(b); while (b) [a, b] = [b, a % b]; return a; };
const made = (n, d, about) => ({ n, d, about: about || false });
const whole = n => made(BigInt(n), 1n, false);
const ONE = whole(1), ZERO = whole(0);

function reduced(n, d, about) {
  if (d === 1n) return made(n, d, about);
  if (d < 0n) { n = -n; d = -d; }
  const g = gcd(n, d);
  return g === 1n ? made(n, d, about) : made(n / g, d / g, about);
}
function rational(text) {
  const [n, d] = text.split("/");
  return d ? reduced(BigInt(n), BigInt(d), false) : made(BigInt(n), 1n, false);
}
const textOf = x => (x.d === 1n ? `${x.n}` : `${x.n}/${x.d}`);

// A whole number added to a reduced fraction leaves it reduced.
const add = (x, y) => x.d === 1n || y.d === 1n ? made(x.n * y.d + y.n * x.d, x.d * y.d, x.about || y.about)
  : reduced(x.n * y.d + y.n * x.d, x.d * y.d, x.about || y.about);
const negative = x => made(-x.n, x.d, x.about);
const times = (x, y) => x.d === 1n && y.d === 1n ? made(x.n * y.n, 1n, x.about || y.about)
  : reduced(x.n * y.n, x.d * y.d, x.about || y.about);
const over = (x, y) => y.n === 0n ? new Wrong("a divisor is zero at these values")
  : reduced(x.n * y.d, x.d * y.n, x.about || y.about);
const compare = (x, y) => { const left = x.n * y.d, right = y.n * x.d; return left < right ? -1 : left > right ? 1 : 0; };
const floored = x => { const q = x.n / x.d; return made(x.n < 0n && q * x.d !== x.n ? q - 1n : q, 1n, x.about); };
const ceiled = x => negative(floored(negative(x)));
const widest = x => Math.max(bits(x.n), bits(x.d));

// The whole root of a positive whole number, or null where it has none.
function wholeRoot(value, degree) {
  if (value === 1n) return 1n;
  if (degree >= bits(value)) return null;
  const k = BigInt(degree);
  let guess = 1n << BigInt(Math.ceil(bits(value) / degree));
  for (;;) {
    const better = ((k - 1n) * guess + value / guess ** (k - 1n)) / k;
    if (better >= guess) break;
    guess = better;
  }
  return guess ** k === value ? guess : null;
}

// A power: exact where it is rational, else by logarithms.
function power(base, exponent) {
  const about = base.about || exponent.about;
  if (base.n === 0n && exponent.n < 0n) return new Wrong("a power divides by zero at these values");
  if (exponent.n === 0n) return made(1n, 1n, about);
  if (base.n === 0n || (base.n === base.d)) return base;
  let large = true;
  if (Number(size(exponent.n)) / Number(exponent.d) * widest(base) <= MOST_BITS) {
    large = false;
    let root = base;
    if (exponent.d > 1n) {
      const degree = Number(exponent.d);
      if (base.n < 0n) return new Wrong("a root of a negative number");
      const n = degree > MOST_BITS ? null : wholeRoot(base.n, degree), d = n === null ? null : wholeRoot(base.d, degree);
      root = n === null || d === null ? null : made(n, d, about);
    }
    if (root) {
      const k = size(exponent.n);
      const [n, d] = exponent.n > 0n ? [root.n ** k, root.d ** k] : [root.d ** k, root.n ** k];
      return d < 0n ? made(-n, -d, about) : made(n, d, about);
    }
  }
  if (base.n < 0n) return new Wrong("a power of a negative number is too large");
  return byLogarithm(base, exponent, large);
}

// Numbers of WORK binary places: x * 2^WORK as a BigInt.
const UNIT = 1n << WORK;
function logarithmNear(x) { // of x from 0.7 to 1.5
  const z = ((x - UNIT) << WORK) / (x + UNIT), square = (z * z) >> WORK;
  let term = z, sum = 0n;
  for (let k = 1n; term !== 0n && k < 400n; k += 2n) { sum += term / k; term = (term * square) >> WORK; }
  return 2n * sum;
}
const LN2 = (() => { // 18 artanh(1/26) - 2 artanh(1/4801) + 8 artanh(1/8749)
  const artanh = k => { let power = UNIT / k, sum = 0n; for (let i = 1n; power !== 0n; i += 2n) { sum += power / i; power /= k * k; } return sum; };
  return 18n * artanh(26n) - 2n * artanh(4801n) + 8n * artanh(8749n);
})();
function byLogarithm(base, exponent, large) {
  let shift = bits(base.n) - bits(base.d);
  let scaled = shift >= 0 ? (base.n << WORK) / (base.d << BigInt(shift)) : (base.n << (WORK + BigInt(-shift))) / base.d;
  if (scaled > UNIT * 3n / 2n) { scaled >>= 1n; shift += 1; }
  if (scaled < UNIT * 3n / 4n) { scaled <<= 1n; shift -= 1; }
  const log = logarithmNear(scaled) + BigInt(shift) * LN2;
  const y = log * exponent.n / exponent.d;
  let k = y / LN2;
  if (k > 3300000n || k < -3300000n) return new Wrong("a power is too large to be computed at these values");
  if (large && (k > BigInt(Math.round(PLACES * 3.3219)) || k < -BigInt(Math.round(PLACES * 3.3219)))) {
    return new Wrong(`a power has more than ${MOST_BITS} bits at these values`);
  }
  const rest = (y - k * LN2) >> 8n;
  let term = UNIT, sum = 0n;
  for (let i = 1n; term !== 0n && i < 200n; i += 1n) { sum += term; term = (term * rest >> WORK) / i; }
  for (let i = 0; i < 8; i += 1) sum = sum * sum >> WORK;
  // About 200 bits are kept: no more are right.
  sum >>= 90n;
  const places = WORK - 90n - k;
  return places >= 0n ? reduced(sum, 1n << places, true) : made(sum << -places, 1n, true);
}
const root = x => x.n < 0n ? new Wrong("a root of a negative number") : power(x, made(1n, 2n));
const choose = sign => list => list.reduce((x, y) => (compare(x, y) * sign >= 0 ? x : y));
const multiplied = (x, y) => widest(x) + widest(y) > MOST_BITS ? new Wrong(`a product gets more than ${MOST_BITS} bits`) : times(x, y);

// What a node of the program does with the values of its parts, by its first number.
const OPERATIONS = [
  null,
  list => list.reduce(add),
  ([x]) => negative(x),
  list => list.reduce((x, y) => (bad(x) ? x : multiplied(x, y))),
  ([x, y]) => over(x, y),
  ([x, y]) => power(x, y),
  ([x]) => root(x),
  choose(1),
  choose(-1),
  ([x]) => ceiled(x),
  ([x]) => floored(x),
];
