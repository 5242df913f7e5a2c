import { findIndexGaps, type IndexGap } from '../../store/inspect/find-index-gaps.js';
import { type Check, fail, ok, skip, warn } from '../verdict.js';

/** Every index that the product relies on is there. */
export const checkIndexes: Check = async ({ database }) => {
  const { isFresh, declared, missing, different } = await findIndexGaps(await database());
  if (isFresh) return skip('No gateway has started on this database; the first start makes them.');
  const gaps = [...missing, ...different];
  if (gaps.length === 0) return ok(`All ${declared} indexes are there.`, { declared });
  const message = [...part('Missing', missing), ...part('Not as declared', different)].join(' ');
  const details = { declared, missing: missing.map(nameOf), different: different.map(nameOf) };
  if (gaps.some(({ isUnique }) => isUnique)) return fail(message, REMEDY, details);
  return warn(message, REMEDY, details);
};

const REMEDY =
  'Restart a gateway: it makes those that are missing. Drop first what is not as declared, and ' +
  'remove what is there twice where a unique one cannot be made.';

const nameOf = ({ name }: IndexGap): string => name;

const part = (title: string, gaps: readonly IndexGap[]): readonly string[] =>
  gaps.length === 0 ? [] : [`${title}: ${gaps.map(nameOf).join(', ')}.`];
