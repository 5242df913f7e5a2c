import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DoctorContext } from './check.js';
import { SECRET_FILES } from './checks/secrets.js';

/** Shorter secrets would mask parts of ordinary words. */
const MIN_LENGTH = 6;
const HIDDEN = '(hidden)';

/**
 * The value with every secret of this gateway replaced. Checks never print secrets; this is a second
 * safeguard, for messages of drivers and servers.
 */
export const maskSecrets = <Value>(value: Value, secrets: readonly string[]): Value => {
  const long = secrets.filter(({ length }) => length >= MIN_LENGTH);
  const mask = (text: string): string =>
    long.reduce((masked, secret) => masked.replaceAll(secret, HIDDEN), text);
  return mapTexts(value, mask) as Value;
};

const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]),
  );
};

/** All secrets that this account can read. */
export const secretsOf = ({ config, dataDir, gateway }: DoctorContext): readonly string[] => [
  ...('value' in gateway.token ? [gateway.token.value] : []),
  ...readable(() => {
    const { mongodb, adminToken, secretKey } = config();
    const configured = [
      ...[mongodb.uri, adminToken].flatMap((secret) => readable(() => [secret?.reveal() ?? ''])),
      ...readable(() => [secretKey?.revealTrimmed() ?? '']),
    ];
    return [...configured, ...configured.flatMap(passwordsIn)];
  }),
  ...SECRET_FILES.flatMap((name) =>
    readable(() => [readFileSync(join(dataDir(), name), 'utf8').trim()]),
  ),
];

/** The password of a connection string, encoded and decoded. */
const passwordsIn = (uri: string): readonly string[] => {
  const [, password] = /^[^:]+:\/\/[^:@/]*:(.*)@[^@]*$/s.exec(uri) ?? [];
  return password === undefined
    ? []
    : [password, ...readable(() => [decodeURIComponent(password)])];
};

/** Empty if it cannot be read, because then no check can read it either. */
const readable = (read: () => readonly string[]): readonly string[] => {
  try {
    return read();
  } catch {
    return [];
  }
};
