import { type Attention, SEVERITIES, z } from '../../src/plugin/api.js';
import { keyOf } from './queues.js';
import type { Rule } from './settings.js';

/** What a rule has reported of a tenant and what still stands. */
export const Reported = z.object({
  items: z
    .array(z.object({ key: z.string(), severity: z.enum(SEVERITIES), at: z.iso.datetime() }))
    .default([]),
});
export type Reported = z.output<typeof Reported>;

const rank = (severity: Attention['severity']): number => SEVERITIES.indexOf(severity);

const names = (pattern: string, code: string): boolean =>
  pattern.endsWith('*') ? code.startsWith(pattern.slice(0, -1)) : code === pattern;

/** Whether the rule is about it. Without a figure, a limit does not matter. */
const isOf = ({ on, severity, above }: Rule, item: Attention): boolean =>
  on.some((pattern) => names(pattern, item.code)) &&
  rank(item.severity) <= rank(severity) &&
  (above === undefined || item.value === undefined || item.value > above);

/** A part of the gateway did not answer: what it reported before may still stand. */
const isPartial = (attention: readonly Attention[]): boolean =>
  attention.some(({ code }) => code === 'PLUGIN_UNAVAILABLE');

/**
 * What is new to the rule, and what it has then reported: what appeared, became more severe, or has
 * lasted for the rule's `repeat` since.
 */
export const findNews = (
  rule: Rule,
  attention: readonly Attention[],
  { items: known }: Reported,
  now: Date,
): { readonly news: readonly Attention[]; readonly reported: Reported } => {
  const before = new Map(known.map((one) => [one.key, one]));
  const standing = attention.filter((item) => isOf(rule, item));
  const isNew = (item: Attention): boolean => {
    const last = before.get(keyOf(item));
    if (!last || rank(item.severity) < rank(last.severity)) return true;
    return rule.repeat !== undefined && now.getTime() - Date.parse(last.at) >= rule.repeat;
  };
  const news = standing.filter(isNew);
  const at = now.toISOString();
  const keys = new Set(standing.map(keyOf));
  const kept = isPartial(attention) ? known.filter(({ key }) => !keys.has(key)) : [];
  const items = standing.map((item) => {
    const key = keyOf(item);
    return { key, severity: item.severity, at: isNew(item) ? at : (before.get(key)?.at ?? at) };
  });
  return { news, reported: { items: [...items, ...kept] } };
};
