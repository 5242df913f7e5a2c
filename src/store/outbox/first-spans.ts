import type { mongo } from 'mongoose';
import { ANY_SPAN, HINTS, type OutboxDocument, spanOf } from '../tables/outbox.js';
import { LOCAL_READ } from '../concerns.js';

/** A pending row or span. */
type Position = Pick<OutboxDocument, 'tenant' | 'key' | 'seq'>;

interface FirstSpan {
  readonly _id: Pick<OutboxDocument, 'key' | 'res'>;
  readonly seq: number;
}

const nameOf = (key: string, res: string): string => `${key}\n${res}`;

/**
 * Reads the first span of each tenant and key, leased or not, and returns whether a row is behind
 * one: such a row waits until the span has reached its position, because the span may have events
 * of its resource.
 */
export const findFirstSpans = async (
  outbox: mongo.Collection<OutboxDocument>,
  plugin: string,
  positions: readonly Position[],
): Promise<(position: Position) => boolean> => {
  if (positions.length === 0) return () => false;
  const found = await outbox
    .aggregate<FirstSpan>(
      [
        {
          $match: {
            st: 'p',
            plugin,
            key: { $in: [...new Set(positions.map(({ key }) => key))] },
            res: ANY_SPAN,
            // There may be thousands of spans behind all of them.
            seq: { $lt: Math.max(...positions.map(({ seq }) => seq)) },
          },
        },
        { $group: { _id: { key: '$key', res: '$res' }, seq: { $min: '$seq' } } },
      ],
      { ...LOCAL_READ, hint: HINTS.byResource },
    )
    .toArray();
  const firsts = new Map(found.map(({ _id: { key, res }, seq }) => [nameOf(key, res), seq]));
  return ({ tenant, key, seq }) => (firsts.get(nameOf(key, spanOf(tenant))) ?? Infinity) < seq;
};
