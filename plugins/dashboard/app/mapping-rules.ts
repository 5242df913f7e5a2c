/** A rule of a mapping, as the configuration has it. */
type Rule = unknown;

/** A rule as two lines of text, to be edited. */
export interface RuleText {
  readonly target: string;
  /** `field | other field`, `{first} {last}`, `= a constant` or `jsonata: an expression`. */
  readonly source: string;
  /** `trim, lower, date dd.MM.yyyy, required` */
  readonly steps: string;
}

/** Steps that take a value, after their name. */
const WITH_VALUE = ['date', 'phone', 'split', 'join', 'default'] as const;
/** What completes the text of steps. */
export const STEPS = [
  'trim',
  'lower',
  'upper',
  'required',
  'date dd.MM.yyyy',
  'phone DE',
  'split ;',
  'join " "',
  'default ""',
  '{"map": {"from": "to"}}',
];

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As it is, if it reads back as the same text. */
const plain = (value: unknown): string =>
  typeof value === 'string' && /^[^\s",{}[\]]+$/.test(value) && typeof readValue(value) === 'string'
    ? value
    : JSON.stringify(value);

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const stepText = (step: unknown): string => {
  if (!isMembers(step)) return plain(step);
  const [name = '', value] = Object.entries(step)[0] ?? [];
  return Object.keys(step).length === 1 && WITH_VALUE.some((one) => one === name)
    ? `${name} ${plain(value)}`
    : JSON.stringify(step);
};

export const toText = (target: string, rule: Rule): RuleText => {
  if (!isMembers(rule)) return { target, source: String(rule), steps: '' };
  const { path, template, constant, jsonata, transform, required, default: value } = rule;
  const steps = [
    ...(Array.isArray(transform) ? transform.map(stepText) : []),
    ...(required === true ? ['required'] : []),
    ...(value === undefined ? [] : [`default ${plain(value)}`]),
  ].join(', ');
  const field = path ?? template;
  const source =
    'constant' in rule
      ? `= ${plain(constant)}`
      : typeof jsonata === 'string'
        ? `jsonata: ${jsonata}`
        : typeof field === 'string'
          ? field
          : '';
  return { target, source, steps };
};

/** At commas outside of quotes and brackets. */
const splitSteps = (text: string): readonly string[] => {
  const steps: string[] = [];
  let step = '';
  let [depth, isQuoted] = [0, false];
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && '{['.includes(char)) depth += 1;
    else if (!isQuoted && '}]'.includes(char)) depth -= 1;
    if (char === ',' && depth === 0 && !isQuoted) {
      steps.push(step);
      step = '';
    } else step += char;
  }
  return [...steps, step].map((one) => one.trim()).filter((one) => one !== '');
};

const readStep = (text: string): unknown => {
  if (text.startsWith('{')) return readValue(text);
  const [, name = '', value = ''] = /^(\S+)\s+([^]+)$/.exec(text) ?? [];
  return WITH_VALUE.some((one) => one === name) ? { [name]: readValue(value) } : text;
};

/**
 * The rule of a text; what is wrong with it, the gateway says.
 *
 * @internal
 */
export const toRule = ({ source: given, steps }: RuleText): Rule => {
  const source = given.trim();
  const all = splitSteps(steps).map(readStep);
  const isDefault = (step: unknown): step is Members => isMembers(step) && 'default' in step;
  const transform = all.filter((step) => step !== 'required' && !isDefault(step));
  const extras = {
    ...(transform.length > 0 && { transform }),
    ...(all.includes('required') && { required: true }),
    ...all.find(isDefault),
  };
  if (source.startsWith('=')) return { constant: readValue(source.slice(1).trim()), ...extras };
  if (source.startsWith('jsonata:')) return { jsonata: source.slice(8).trim(), ...extras };
  if (/\{[^{}]+\}/.test(source)) return { template: source, ...extras };
  return Object.keys(extras).length === 0 ? source : { path: source, ...extras };
};

const isSame = (one: Rule, other: Rule): boolean =>
  JSON.stringify(toText('', one)) === JSON.stringify(toText('', other));

/** What the configuration has to say: the rules that are not the connector's own; null removes one. */
export const overridesOf = (rows: readonly RuleText[], own: Members): Members => {
  const rules = Object.fromEntries(rows.map((row) => [row.target.trim(), toRule(row)]));
  const changed = Object.entries(rules).filter(
    ([target, rule]) => target !== '' && !(target in own && isSame(rule, own[target])),
  );
  const removed = Object.keys(own).filter((target) => !(target in rules));
  return Object.fromEntries([...changed, ...removed.map((target) => [target, null] as const)]);
};

const PLAIN_TEXT = /^[A-Za-z_][\w.-]*(?: \| [A-Za-z_][\w.-]*)*$/;
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

const inYaml = (value: unknown): string => {
  if (typeof value === 'string' && PLAIN_TEXT.test(value) && !NO_TEXT.test(value)) return value;
  if (Array.isArray(value)) return `[${value.map(inYaml).join(', ')}]`;
  if (!isMembers(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${inYaml(name)}: ${inYaml(one)}`);
  return `{ ${members.join(', ')} }`;
};

/** The option `map` of the connector. */
export const mapInYaml = (overrides: Members): string => {
  const lines = Object.entries(overrides).map(
    ([target, rule]) => `  ${inYaml(target)}: ${inYaml(rule)}`,
  );
  return lines.length === 0 ? 'map: {}\n' : `map:\n${lines.join('\n')}\n`;
};

const simplified = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]/g, '');

/** Columns of a CSV file with the names that rules use, as connectors name them: `Employee ID`. */
export const recordsOfTable = (
  [header = [], ...lines]: readonly (readonly string[])[],
  known: readonly string[],
): readonly Members[] => {
  const usual = new Map(known.map((name) => [simplified(name), name]));
  const names = header.map((name) => usual.get(simplified(name)) ?? name);
  return lines.map((cells) =>
    Object.fromEntries(
      names.flatMap((name, at) => {
        const cell = cells[at] ?? '';
        return name === '' || cell === '' ? [] : [[name, cell]];
      }),
    ),
  );
};

/** The people in JSON: a list, the first list in an object, one object, or one object in each line. */
export const recordsInJson = (text: string): readonly Members[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    value = lines.map((line) => JSON.parse(line) as unknown);
  }
  return peopleIn(value) ?? [];
};

const peopleIn = (value: unknown): readonly Members[] | undefined => {
  if (Array.isArray(value)) return value.filter(isMembers);
  if (!isMembers(value)) return undefined;
  const list = Object.values(value).find((one) => Array.isArray(one) && one.some(isMembers));
  return list === undefined ? [value] : peopleIn(list);
};

/** The fields that a text of a rule names. */
export const fieldsIn = (source: string): readonly string[] =>
  source.startsWith('=') || source.startsWith('jsonata:')
    ? []
    : (source.match(/\{([^{}]+)\}/g)?.map((one) => one.slice(1, -1)) ?? source.split('|')).map(
        (one) => one.trim(),
      );

/** Whole texts for a `<datalist>`: it replaces all of a field, of which only the last part is written. */
export const completionsOf = (
  text: string,
  separator: RegExp,
  words: readonly string[],
): readonly string[] => {
  const [, before = ''] = new RegExp(`^([^]*${separator.source}\\s*)`).exec(text) ?? [];
  return words.map((word) => `${before}${word}`);
};
