import type * as mongo from 'mongodb';
import { ANY_SPAN, HINTS, type OutboxDocument, spanOf } from '../tables/outbox.js';
import { LOCAL_READ } from '../concerns.js';
import type { OrderQuery } from '../../outbox/outbox-claims.js';

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

type Key = Pick<OrderQuery, 'plugin' | 'key'>;
type Order = Key & Pick<OrderQuery, 'resource'>;

interface EarliestRow {
  readonly _id: Pick<OutboxDocument, 'plugin' | 'key' | 'res'>;
  readonly seq: number;
}

const deliveryKey = ({ plugin, key }: Key): string => `${plugin}\n${key}`;
const orderKey = (order: Order): string => `${deliveryKey(order)}\n${order.resource}`;

const groupByKey = (questions: readonly OrderQuery[]): readonly (readonly OrderQuery[])[] => {
  const groups = new Map<string, OrderQuery[]>();
  for (const question of questions) {
    const group = groups.get(deliveryKey(question)) ?? [];
    group.push(question);
    groups.set(deliveryKey(question), group);
  }
  return [...groups.values()];
};

/** And the spans of their tenants, which may have events of any resource. */
const resourcesOf = (ofKey: readonly OrderQuery[]): readonly string[] => [
  ...ofKey.map(({ resource }) => resource),
  ...new Set(ofKey.map(({ tenantId }) => spanOf(tenantId))),
];

/**
 * One branch per key instead of per resource: far fewer to plan. Each has `st`, because the index
 * is over pending rows; `last: null` means that no attempt was made.
 */
const toFilter = (ofKey: readonly OrderQuery[]): object => ({
  st: 'p',
  plugin: ofKey[0]?.plugin,
  key: ofKey[0]?.key,
  res: { $in: [...resourcesOf(ofKey)] },
  seq: { $lt: Math.max(...ofKey.map(({ beforeSeq }) => beforeSeq)) },
  last: null,
});

/**
 * For each question, the position of the earliest other row or span that waits for its first
 * attempt.
 */
export const earliestUnsent = async (
  outbox: mongo.Collection<OutboxDocument>,
  questions: readonly OrderQuery[],
): Promise<readonly (number | undefined)[]> => {
  if (questions.length === 0) return [];
  const found = await outbox
    .aggregate<EarliestRow>(
      [
        {
          $match: {
            _id: { $nin: questions.flatMap(({ except }) => except) },
            $or: groupByKey(questions).map(toFilter),
          },
        },
        { $group: { _id: { plugin: '$plugin', key: '$key', res: '$res' }, seq: { $min: '$seq' } } },
      ],
      { ...LOCAL_READ, hint: HINTS.byResource },
    )
    .toArray();
  const earliest = new Map(
    found.map(({ _id: { plugin, key, res }, seq }) => [
      orderKey({ plugin, key, resource: res }),
      seq,
    ]),
  );
  return questions.map((question) => {
    const ofResource = earliest.get(orderKey(question)) ?? Infinity;
    const span = { ...question, resource: spanOf(question.tenantId) };
    const seq = Math.min(ofResource, earliest.get(orderKey(span)) ?? Infinity);
    return seq < question.beforeSeq ? seq : undefined;
  });
};
