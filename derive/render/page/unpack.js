// The packed text of the page, its repetitions written out again: as derive/render/page/packing.py has it.
function unpack(text) {
  const digits = [...Array(94).keys()].map(i => String.fromCharCode(i + 33)).filter(x => !"\"\\`~<>&".includes(x)).join("");
  const value = new Uint8Array(128), base = digits.length, short = base - 8, least = 5;
  for (let i = 0; i < base; i += 1) value[digits.charCodeAt(i)] = i;
  let out = new Uint16Array(1 << 20), end = 0;
  const near = 96, far = 126;
  for (let place = 0; place < text.length;) {
    if (end + 1024 > out.length) { const wider = new Uint16Array(out.length * 2); wider.set(out); out = wider; }
    const sign = text.charCodeAt(place);
    if ((sign !== near && sign !== far) || text.charCodeAt(place + 1) === sign) {
      out[end++] = sign;
      place += sign === near || sign === far ? 2 : 1;
      continue;
    }
    const digit = () => value[text.charCodeAt(place++)];
    place += 1;
    let rest = digit(), distance = 0;
    if (rest >= short) rest = short + (rest - short) * base + digit();
    for (let i = sign === near ? 2 : 3; i; i -= 1) distance = distance * base + digit();
    for (let i = rest + least; i; i -= 1, end += 1) out[end] = out[end - distance];
  }
  const swap = new Map([..."<>&\"{}|'"].map((x, i) => [x.charCodeAt(0), "{}|'<>&\"".charCodeAt(i)]));
  for (let i = 0; i < end; i += 1) { const other = swap.get(out[i]); if (other) out[i] = other; }
  return new TextDecoder("utf-16le").decode(out.subarray(0, end));
}
const [FIRST_LINE, FORM, ...FOLDED] = unpack(JSON.parse(document.getElementById("data").textContent)).split("\n");
const DATA = JSON.parse(FIRST_LINE);
