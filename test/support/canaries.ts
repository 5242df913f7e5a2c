import { randomBytes } from 'node:crypto';

/** Something that must never be seen again once it was handed in, but for where it belongs. */
export interface Canary {
  readonly name: string;
  readonly value: string;
  /** Places in which it may stand: `collection users`. */
  readonly mayStandIn: readonly string[];
}

/** A canary that was found where it does not belong. */
export interface Sighting {
  readonly canary: string;
  readonly place: string;
  /** `plain`, or the encoding it was in. */
  readonly as: string;
  /** What stands around it, to find the line that let it out; the canary itself is real to nobody. */
  readonly around: string;
}

/** Secrets of a test, and the search for them in whatever came out of a gateway. */
export interface Canaries {
  /** Makes one up; `shape` gives it the form that its input asks for. */
  readonly make: (
    name: string,
    shape?: (token: string) => string,
    ...mayStandIn: readonly string[]
  ) => string;
  /** Adds one that the gateway made itself. */
  readonly add: (name: string, value: string, ...mayStandIn: readonly string[]) => string;
  readonly all: () => readonly Canary[];
  readonly findIn: (place: string, text: string) => readonly Sighting[];
}

/** So short a text may stand somewhere by chance. */
const SHORTEST = 12;
const AROUND = 60;

export const createCanaries = (): Canaries => {
  const canaries: Canary[] = [];
  const add: Canaries['add'] = (name, value, ...mayStandIn) => {
    if (value.length < SHORTEST) throw new Error(`The canary "${name}" is too short to be told.`);
    canaries.push({ name, value, mayStandIn });
    return value;
  };
  return {
    add,
    make: (name, shape = (token) => token, ...mayStandIn) => {
      const token = randomBytes(12).toString('hex');
      // Only the random part is looked for: a form that is cut or escaped must not hide it.
      add(name, token, ...mayStandIn);
      return shape(token);
    },
    all: () => canaries,
    findIn: (place, text) =>
      canaries
        .filter(({ mayStandIn }) => !mayStandIn.includes(place))
        .flatMap((canary) => sightingsOf(canary, place, text)),
  };
};

const sightingsOf = ({ name, value }: Canary, place: string, text: string): readonly Sighting[] =>
  [...formsOf(value)].flatMap(([as, form]) => {
    const at = text.indexOf(form);
    if (at === -1) return [];
    const around = text.slice(Math.max(0, at - AROUND), at + form.length + AROUND);
    return [{ canary: name, place, as, around }];
  });

/** How a text may stand in another: as it is, or as programs write it; each form once. */
const formsOf = (value: string): ReadonlyMap<string, string> => {
  const bytes = Buffer.from(value);
  const forms = new Map<string, string>();
  for (const [name, form] of writings(value, bytes)) {
    if (![...forms.values()].includes(form)) forms.set(name, form);
  }
  return forms;
};

const writings = (value: string, bytes: Buffer): readonly (readonly [string, string])[] => [
  ['plain', value],
  ['JSON', JSON.stringify(value).slice(1, -1)],
  ['percent-encoding', encodeURIComponent(value)],
  ['hexadecimal', bytes.toString('hex')],
  ...[0, 1, 2].map((shift) => [`base64 (${shift})`, inBase64(bytes, shift)] as const),
];

/**
 * The part of base64 that is the same whatever stands before and after: a text may begin at any of
 * three places in a group of three bytes.
 */
const inBase64 = (bytes: Buffer, shift: number): string => {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
  const first = shift === 0 ? 0 : 4;
  return whole.toString('base64').slice(first, Math.floor(whole.length / 3) * 4);
};
