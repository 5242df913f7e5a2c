import { randomBytes } from 'node:crypto';

/** A unique secret or personal value that must not appear in outputs. */
export interface Canary {
  readonly name: string;
  readonly value: string;
  /** Sources that may contain it, such as `collection users`. */
  readonly allowedIn: readonly string[];
}

/** A canary found in a source that must not contain it. */
export interface Leak {
  readonly canary: string;
  readonly source: string;
  /** `plain`, or the encoding in which it was found. */
  readonly encoding: string;
  /** The surrounding text, which helps to find the cause. */
  readonly context: string;
}

/** The canaries of a test, and the search for them in everything that a gateway wrote. */
export interface Canaries {
  /** Creates a random value; `shape` brings it into the format that the input requires. */
  readonly create: (
    name: string,
    shape?: (token: string) => string,
    ...allowedIn: readonly string[]
  ) => string;
  /** Adds a value that the gateway generated. */
  readonly add: (name: string, value: string, ...allowedIn: readonly string[]) => string;
  readonly all: () => readonly Canary[];
  readonly findIn: (source: string, text: string) => readonly Leak[];
}

/** Shorter values might appear by chance. */
const MIN_LENGTH = 12;
const CONTEXT_LENGTH = 60;

export const createCanaries = (): Canaries => {
  const canaries: Canary[] = [];
  const add: Canaries['add'] = (name, value, ...allowedIn) => {
    if (value.length < MIN_LENGTH) throw new Error(`The canary "${name}" is too short.`);
    canaries.push({ name, value, allowedIn });
    return value;
  };
  return {
    add,
    create: (name, shape = (token) => token, ...allowedIn) => {
      const token = randomBytes(12).toString('hex');
      // Searches only for the random part, in case the rest is escaped or truncated.
      add(name, token, ...allowedIn);
      return shape(token);
    },
    all: () => canaries,
    findIn: (source, text) =>
      canaries
        .filter(({ allowedIn }) => !allowedIn.includes(source))
        .flatMap((canary) => leaksOf(canary, source, text)),
  };
};

const leaksOf = ({ name, value }: Canary, source: string, text: string): readonly Leak[] =>
  [...encodingsOf(value)].flatMap(([encoding, encoded]) => {
    const at = text.indexOf(encoded);
    if (at === -1) return [];
    const context = text.slice(
      Math.max(0, at - CONTEXT_LENGTH),
      at + encoded.length + CONTEXT_LENGTH,
    );
    return [{ canary: name, source, encoding, context }];
  });

/** The distinct encodings in which a value may appear. */
const encodingsOf = (value: string): ReadonlyMap<string, string> => {
  const bytes = Buffer.from(value);
  const encodings = new Map<string, string>();
  for (const [name, encoded] of allEncodings(value, bytes)) {
    if (![...encodings.values()].includes(encoded)) encodings.set(name, encoded);
  }
  return encodings;
};

const allEncodings = (value: string, bytes: Buffer): readonly (readonly [string, string])[] => [
  ['plain', value],
  ['JSON', JSON.stringify(value).slice(1, -1)],
  ['percent-encoding', encodeURIComponent(value)],
  ['hexadecimal', bytes.toString('hex')],
  ...[0, 1, 2].map((shift) => [`base64 (${shift})`, inBase64(bytes, shift)] as const),
];

/**
 * The part of the base64 encoding that does not depend on the surrounding bytes: a value may start
 * at any of three offsets in a group of three bytes.
 */
const inBase64 = (bytes: Buffer, shift: number): string => {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
  const first = shift === 0 ? 0 : 4;
  return whole.toString('base64').slice(first, Math.floor(whole.length / 3) * 4);
};
