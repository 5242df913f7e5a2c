import { findIndexGaps, type IndexGap } from '../../store/inspect/find-index-gaps.js';
import { type Check, fail, ok, skip, warn } from '../check-result.js';

/** All required indexes exist. */
export const checkIndexes: Check = async ({ database }) => {
  const { isFresh, declared, missing, different } = await findIndexGaps(await database());
  if (isFresh)
    return skip('No gateway has used this database yet; the first start creates the indexes.');
  const gaps = [...missing, ...different];
  if (gaps.length === 0) return ok(`All ${declared} indexes exist.`, { declared });
  const message = [
    ...part('Missing', missing),
    ...part('Different from their definition', different),
  ].join(' ');
  const details = { declared, missing: missing.map(nameOf), different: different.map(nameOf) };
  if (gaps.some(({ isUnique }) => isUnique)) return fail(message, REMEDY, details);
  return warn(message, REMEDY, details);
};

const REMEDY =
  'Restart a gateway: it creates missing indexes. Drop those that differ first. If a unique index ' +
  'cannot be created, remove the duplicates.';

const nameOf = ({ name }: IndexGap): string => name;

const part = (title: string, gaps: readonly IndexGap[]): readonly string[] =>
  gaps.length === 0 ? [] : [`${title}: ${gaps.map(nameOf).join(', ')}.`];
