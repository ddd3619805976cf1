// What the page computes: the program of shared nodes, the letters' values, and every quantity at the present setting.
const PRESETS = DATA.pickers.map(picker => new Map(picker.presets.flatMap(each => [...each.aliases, each.name].map(name => [name, each]))));
const KINDS = new Map(DATA.kinds.map(kind => [kind.name, kind]));
const PLACE = new Map(DATA.inputs.map((input, place) => [input.key, place]));
const NAMES = new Map(DATA.quantities.map((each, place) => [each.name, place]));
const DEFAULTS = DATA.defaults.map(([value, origin]) => ({
  value: Array.isArray(value) ? { low: rational(value[0]), high: rational(value[1]) } : rational(value), origin,
}));
const NUMBERS = DATA.nodes.map(node => (typeof node === "string" ? rational(node) : null));
for (const presets of PRESETS) for (const each of presets.values()) {
  each.lacks = new Map(each.without);
  each.at = new Map(each.values.map(([place, value, origin]) => [place, { value: rational(value), origin: origin || each.name }]));
}
const FOLLOWS = new Map(DATA.follows.map(([place, node, said, refused, contradicted]) => [place, { node, said, refused, contradicted }]));
const isOne = x => !bad(x) && x.n === 1n && x.d === 1n;

const BETWEEN = new Map();
function lettersBetween(place) {
  if (!BETWEEN.has(place)) {
    const [operation, ...parts] = typeof DATA.nodes[place] === "string" ? [1] : DATA.nodes[place];
    const own = operation === 0 && parts[1] < 0 && parts[2] >= 0 && DEFAULTS[parts[2]].value.low ? [place] : [];
    BETWEEN.set(place, operation === 0 ? own : [...new Set(parts.flatMap(lettersBetween))]);
  }
  return BETWEEN.get(place);
}

// A setting: `picks` names a preset of every picker, `choices` what was chosen, `set` the values that were set by place.
class Run {
  constructor(setting) {
    this.memo = new Array(DATA.nodes.length);
    this.results = new Array(DATA.quantities.length);
    this.chosen = DATA.pickers.map((picker, place) => PRESETS[place].get(setting.picks[picker.key]));
    this.kind = KINDS.get(this.chosen[0].kind);
    const follows = new Set(this.kind.follows); // what another kind's field has set is none of this one's sizes
    this.setting = { ...setting, set: new Map([...setting.set].filter(([place]) => !follows.has(place))) };
    this.relations = new Map(this.kind.relations);
    this.broken = new Map(); // what is wrong with sizes of the model and with the run, by place
    this.model = null; // what is wrong with the sizes of the model, the first of it
    this.parted = new Set(); // what would not be whole, or contradicts the run: nobody can use it
    this.degrees = Object.fromEntries(DATA.degrees.map(key => [key, isOne(this.input(PLACE.get(key))) ? "1" : key]));
    this.choice = Object.fromEntries(DATA.choices.map(each => [each.key, this.chosenOf(each)]));
    this.check();
  }

  chosenOf({ key, options, needs }) {
    if (needs && this.degrees[needs] === "1") return options[0][0];
    return this.setting.choices[key] ?? this.chosen[0].choices[key] ?? options[0][0];
  }

  // The value of an input where no quantity stands behind it, with its origin.
  given(place, usual) {
    const set = this.setting.set.get(place);
    if (set) return bad(set) ? { value: Object.assign(new Wrong("an entry cannot be read", [place]), { entry: true }), origin: "" } : { value: set, origin: "set here" };
    for (const preset of this.chosen) {
      if (preset.at.has(place)) return preset.at.get(place);
      if (preset.lacks.has(place)) return { value: Object.assign(new Wrong(preset.lacks.get(place), [place]), { lacking: true }), origin: "" };
    }
    if (this.relations.has(place)) {
      const value = this.node(this.relations.get(place));
      return { value, origin: DATA.relations[this.relations.get(place)] || "a relation" };
    }
    if (FOLLOWS.has(place)) {
      const { node, said } = FOLLOWS.get(place), value = this.node(node);
      if (!bad(value) || !value.missing) return { value, origin: said };
    }
    if (usual >= 0) return DEFAULTS[usual];
    const { behind } = DATA.inputs[place];
    if (behind >= 0) {
      const { value } = this.quantity(behind);
      if (!bad(value) || DATA.inputs[place].value < 0 || this.refused()) return { value, origin: DATA.quantities[behind].name, of: behind };
    }
    if (DATA.inputs[place].value >= 0) return DEFAULTS[DATA.inputs[place].value];
    const none = new Wrong(`no value for ${DATA.inputs[place].name}: ${DATA.inputs[place].meaning}`, [place]);
    return { value: Object.assign(none, { missing: true }), origin: "" };
  }

  input(place, usual = -1) {
    if (this.parted.has(place)) return new Wrong(this.broken.get(place), [place]);
    return this.given(place, usual).value;
  }

  // What must hold between the sizes of this kind of model.
  check() {
    const broken = new Map(), name = place => DATA.inputs[place].name;
    const say = (places, text) => { for (const place of places) if (!broken.has(place)) broken.set(place, text); };
    for (const [place, node] of this.kind.relations) {
      const found = this.given(place, -1);
      if (!this.setting.set.has(place) && !bad(found.value) && (found.value.d !== 1n || found.value.n < 1n)) {
        this.parted.add(place);
        say([place], `${found.origin} is not a whole number here: set ${name(place)} itself`);
      }
    }
    const whole = !broken.size;
    for (const [place, node, text, others] of whole ? this.kind.bounds : []) {
      const value = this.input(place), most = this.node(node);
      if (!bad(value) && !bad(most) && compare(value, most) > 0) {
        say([place, ...others], `${name(place)} = ${textOf(value)} exceeds ${text} = ${textOf(most)}: set ${text} too`);
      }
    }
    for (const [place, of] of whole ? this.kind.divides : []) {
      const value = this.input(place), multiple = this.input(of);
      if (!bad(value) && !bad(multiple) && (multiple.n % value.n !== 0n)) {
        say([place, of], `${name(place)} = ${textOf(value)} does not divide ${name(of)} = ${textOf(multiple)}`);
      }
    }
    for (const [place, text] of broken) this.model ??= new Wrong(text, [place]);
    this.breaks(broken);
    for (const [place, { node, refused, contradicted }] of FOLLOWS) {
      const value = this.node(node), set = this.setting.set.get(place);
      if (bad(value) || (set && bad(set))) continue;
      const text = set ? compare(set, value) !== 0 && contradicted : (value.d !== 1n || value.n < 1n) && refused;
      if (!text) continue;
      say([place], text.replace(/\{(\w*)\}/g, (_, key) => textOf(key ? this.input(PLACE.get(key)) : value)));
      this.parted.add(place);
    }
    this.breaks(broken);
  }

  breaks(broken) {
    if (!broken.size) return;
    this.broken = broken;
    this.memo = new Array(DATA.nodes.length);
    this.results = new Array(DATA.quantities.length);
  }

  // Why nothing has a value that is about this model: a block that it has not, sizes that contradict one another.
  refused() {
    const none = this.kind.without.find(([key, value]) => this.choice[key] === value);
    if (none) return new Wrong(none[2]);
    return this.model;
  }

  node(place, memo = this.memo) {
    return memo[place] !== undefined ? memo[place] : (memo[place] = this.fresh(place, memo));
  }

  fresh(place, memo) {
    const node = DATA.nodes[place];
    if (NUMBERS[place]) return NUMBERS[place];
    const [operation, ...parts] = node;
    if (operation === 0) return this.letter(parts);
    const values = new Array(parts.length);
    for (let i = 0; i < parts.length; i += 1) {
      values[i] = this.node(parts[i], memo);
      if (bad(values[i])) return values[i];
    }
    return OPERATIONS[operation](values);
  }

  letter([place, stands, usual]) {
    if (stands >= 0 && !this.setting.set.has(place)) return this.quantity(stands).value;
    return this.input(place, usual);
  }

  // Which of its variants a quantity has here, what a degree does not divide included.
  variant(place) {
    const { dimensions, table } = DATA.quantities[place];
    let index = 0, split = "";
    for (const [name, values] of dimensions) {
      let value = name === "kind" ? this.kind.name : name in this.degrees ? this.degrees[name] : this.choice[name];
      if (name === "whole") {
        const first = DATA.variants[table[index * values.length]];
        value = first && typeof first !== "string" && this.keptWhole(first[2]) ? "whole" : "";
      }
      index = index * values.length + values.indexOf(value);
    }
    return { id: table[index], is: DATA.variants[table[index]] };
  }

  keptWhole(list) {
    if (this.degrees[DATA.degree] === "1") return false;
    const degree = this.input(PLACE.get(DATA.degree));
    return !bad(degree) && DATA.splits[list].some(([place, rule]) => {
      const value = this.input(place);
      return rule === 1 && !bad(value) && value.n % degree.n !== 0n && degree.n % value.n === 0n;
    });
  }

  // What a degree does not divide, as a message, or null.
  undivided(list) {
    if (this.degrees[DATA.degree] === "1") return null;
    const place = PLACE.get(DATA.degree), degree = this.input(place), key = DATA.planned[DATA.degree];
    if (bad(degree)) return degree;
    for (const [of, rule, when] of DATA.splits[list]) {
      if (when && this.choice[when] !== "1") continue;
      const value = this.input(of), { name, meaning } = DATA.inputs[of];
      if (bad(value) || value.n % degree.n === 0n || (rule === 1 && degree.n % value.n === 0n)) continue;
      let text = `${key} = ${degree.n} does not divide ${name} = ${value.n} (${meaning})`;
      if (rule === 1) text += `, and is not a multiple of it either: choose ${key} so that one divides the other`;
      if (rule === 2) { const step = BigInt(DATA.padding) * degree.n; text += `: frameworks pad it, set ${name} = ${(value.n + step - 1n) / step * step}`; }
      return Object.assign(new Wrong(text, [place, of]), { split: true, padded: rule === 2 });
    }
    return null;
  }

  // A quantity: its value or what is wrong, and which variant it is of.
  quantity(place) {
    return this.results[place] || (this.results[place] = this.computed(place));
  }

  computed(place) {
    const { id, is } = this.variant(place), model = DATA.quantities[place].dimensions.some(([name]) => name === "kind");
    const unfit = model ? this.refused() : null;
    if (unfit) return { id: -1, value: unfit };
    if (is === undefined || typeof is === "string") return { id: -1, value: new Wrong(is || "it has no formula for this plan") };
    const [node, , splits] = is, refused = this.undivided(splits);
    if (refused) return { id, value: refused };
    const wide = this.wide(node);
    return { id, value: wide.length ? this.corners(node, wide) : this.node(node) };
  }

  // The letters below a node that are only known to lie between two values, and are not set.
  wide(place) {
    return lettersBetween(place).filter(node => !this.setting.set.has(DATA.nodes[node][1]));
  }

  // What is affine in each of its letters is least and most where each of them is at an end of its interval.
  corners(node, wide) {
    const found = [];
    for (let corner = 0; corner < 2 ** wide.length; corner += 1) {
      const memo = new Array(DATA.nodes.length);
      wide.forEach((place, i) => {
        const { low, high } = DEFAULTS[DATA.nodes[place][3]].value;
        memo[place] = (corner >> i) & 1 ? high : low;
      });
      const value = this.node(node, memo);
      if (bad(value)) return value;
      found.push(value);
    }
    return { low: choose(-1)(found), high: choose(1)(found) };
  }
}

// For tests: settings as plain objects in, exact values as text out.
function evaluate(settings) {
  return settings.map(({ picks, choices = {}, set = {} }) => {
    const values = new Map(Object.entries(set).map(([key, text]) => [PLACE.get(key), rational(text)]));
    const run = new Run({ picks, choices, set: values });
    return Object.fromEntries(DATA.quantities.map(({ name }, place) => {
      const { value } = run.quantity(place);
      if (bad(value)) return [name, { wrong: value.text }];
      if (value.low) return [name, { low: textOf(value.low), high: textOf(value.high) }];
      return [name, { value: textOf(value), about: value.about }];
    }));
  });
}
