import type { PluginLog } from '../contract/extension.js';

/** Shorter texts are part of ordinary words. */
const MIN_LENGTH = 4;

/** Replaces these secrets in texts. */
export type Redact = (text: string) => string;

export const createRedact = (secrets: readonly string[]): Redact => {
  const found = secrets
    .filter(({ length }) => length >= MIN_LENGTH)
    // As it stands in a header, too.
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .sort((one, other) => other.length - one.length);
  return (text) => found.reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
};

/** A log whose lines contain none of the secrets, whatever a connector logs. */
export const redactLog = (log: PluginLog, redact: Redact): PluginLog => {
  const write =
    (level: keyof PluginLog): PluginLog[typeof level] =>
    (fields, message) =>
      log[level](redactIn(fields, redact) as object, redact(message));
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
};

const MAX_DEPTH = 6;

const redactIn = (value: unknown, redact: Redact, depth = 0): unknown => {
  if (typeof value === 'string') return redact(value);
  if (value instanceof Error)
    // Errors of clients hold whole requests.
    return { type: value.name, message: redact(value.message), stack: redact(value.stack ?? '') };
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((one) => redactIn(one, redact, depth + 1));
  if (value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, redactIn(inner, redact, depth + 1)]),
  );
};
