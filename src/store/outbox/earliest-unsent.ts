import type { mongo } from 'mongoose';
import type { OrderQuery } from '../../outbox/outbox-claims.js';
import { HINTS, type OutboxDocument, spanOf } from '../tables/outbox.js';
import { LOCAL_READ } from '../concerns.js';

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
