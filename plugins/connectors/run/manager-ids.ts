import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import { isStage, todayIn } from '../lifecycle.js';
import type { Attempt } from './attempt.js';

/** Managers without a user that are remembered: one of ten of a million employees, about 8 MB. */
const MAX_AWAITED = 100_000;

/** The users of managers, as far as they are known when their people are created. */
export interface ManagerIds {
  /** By record id. A manager whose user this run creates later is known by the id that is planned. */
  readonly find: (refs: readonly string[]) => Promise<ReadonlyMap<string, UserId>>;
  /** A manager was not set by the command that creates or changes their people. */
  readonly noteUnset: () => void;
  /** Whether all managers were set, and have the users that were expected: nothing is left to do. */
  readonly areAllSet: () => Promise<boolean>;
}

type Parts = Pick<Attempt, 'store' | 'gateway' | 'run' | 'compiled' | 'now'>;

/** `isResumed`: what an earlier attempt expected is not known. */
export const createManagerIds = (
  { store, gateway, run, compiled, now }: Parts,
  isResumed: boolean,
): ManagerIds => {
  const awaited = new Map<string, UserId>();
  let isUnsure = isResumed;
  // With links to existing users, a record may get a user that is known only when it is applied.
  const { link = 0, relink = 0 } = run.counts.planned;
  const mayExpect = link + relink === 0;

  const isEmployed = (data: JsonObject): boolean =>
    isStage('active', data, compiled.lifecycle, todayIn(compiled.lifecycle, now()));

  /** Those who were read, are employed, and are not in quarantine: the plan creates their users. */
  const expect = async (refs: readonly string[]): Promise<void> => {
    if (!mayExpect || awaited.size + refs.length > MAX_AWAITED) return;
    const staged = await store.staged(run.id).many(refs);
    const links = await store.linkStates.many(refs);
    const waiting = await store.quarantine.many(refs);
    for (const [ref, record] of staged) {
      if (record.kind !== 'record' || waiting.has(ref) || !isEmployed(record.data)) continue;
      const { rev = 0, life = run.id } = links.get(ref) ?? {};
      awaited.set(ref, gateway.idOfNewUser({ sourceId: ref, rev, life }));
    }
  };

  return {
    find: async (refs) => {
      const unique = [...new Set(refs)];
      const found = new Map<string, UserId>();
      for (const [ref, { userId }] of await store.linkStates.many(unique))
        if (userId) found.set(ref, userId);
      await expect(unique.filter((ref) => !found.has(ref) && !awaited.has(ref)));
      for (const ref of unique) {
        const userId = found.get(ref) ?? awaited.get(ref);
        if (userId) found.set(ref, userId);
      }
      return found;
    },
    noteUnset: () => {
      isUnsure = true;
    },
    areAllSet: async () => {
      if (isUnsure) return false;
      const refs = [...awaited.keys()];
      for (let from = 0; from < refs.length; from += 1_000) {
        const some = refs.slice(from, from + 1_000);
        const links = await store.linkStates.many(some);
        if (some.some((ref) => links.get(ref)?.userId !== awaited.get(ref))) return false;
      }
      return true;
    },
  };
};
