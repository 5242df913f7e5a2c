import { z } from 'zod';
import { printable } from './display-width.js';
import { formatSecond } from './format-time.js';
import { orDash } from './format-value.js';
import type { Paint } from './paint.js';

const Thing = z.object({
  kind: z.string(),
  id: z.string().nullable(),
  name: z.string().nullable(),
});

export const LogEntry = z.looseObject({
  id: z.string(),
  at: z.string(),
  actor: Thing,
  source: z.string(),
  type: z.string(),
  subject: Thing.nullable(),
  changes: z.array(
    z.object({ path: z.string(), before: z.json().optional(), after: z.json().optional() }),
  ),
  change_count: z.int(),
  outcome: z.string(),
  error: z.string().nullable(),
  message: z.string().nullable(),
  request_id: z.string(),
});
export type LogEntry = z.output<typeof LogEntry>;

export const nameOf = (thing: z.output<typeof Thing> | null): string =>
  thing === null ? '-' : orDash(thing.name ?? thing.id);

const json = (value: unknown): string =>
  printable(typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** Why it was refused, or what it changed. */
export const detailOf = ({ error, message, changes, change_count: count }: LogEntry): string => {
  if (error !== null) return printable(message === null ? error : `${error}: ${message}`);
  const shown = changes.map(({ path, before, after }) =>
    before === undefined && after === undefined
      ? printable(path)
      : `${printable(path)}: ${before === null ? '' : `${json(before)} → `}${json(after)}`,
  );
  const rest = count > changes.length ? [`and ${count - changes.length} more`] : [];
  return [...shown, ...rest].join(', ');
};

/** One entry in one line. */
export const logLine = (entry: LogEntry, paint: Paint): string => {
  const { at, outcome, type, subject, actor, source } = entry;
  const painted = { applied: paint.green, refused: paint.yellow, failed: paint.red }[outcome];
  return [
    formatSecond(at),
    (painted ?? paint.dim)(printable(outcome).padEnd('applied'.length)),
    printable(type),
    nameOf(subject),
    paint.dim(`${printable(source)}, ${nameOf(actor)}`),
    detailOf(entry),
  ]
    .join('  ')
    .trimEnd();
};
