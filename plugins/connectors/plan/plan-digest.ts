import { createHash, type Hash } from 'node:crypto';
import { hashOf } from '../link.js';
import { isVisible, type PlanItem } from './plan-item.js';

/** A digest of what a plan does, in its order: an approval is bound to it. */
export interface DigestBuilder {
  readonly add: (item: PlanItem) => void;
  readonly value: () => string;
}

const visible = (item: PlanItem): string =>
  hashOf(
    item.sourceId,
    item.kind,
    item.userId,
    item.changes.map(({ attribute, before, after }) => [attribute, before, after]),
    item.groups.map(({ op, name }) => [op, name]),
    item.manager ?? null,
    item.why,
  );

export const startDigest = (): DigestBuilder => {
  const hash: Hash = createHash('sha256');
  return {
    add: (item) => {
      if (isVisible(item)) hash.update(visible(item));
    },
    value: () => hash.copy().digest('hex').slice(0, 32),
  };
};
