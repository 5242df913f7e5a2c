import type { UserId } from '../../../src/plugin/api.js';
import { isStage, todayIn } from '../lifecycle.js';
import type { LinkState } from '../link.js';
import type { Attempt } from './attempt.js';

/** Managers without a user that are remembered: one of ten of a million employees, about 8 MB. */
const MAX_AWAITED = 100_000;

type Parts = Pick<Attempt, 'store' | 'gateway' | 'run' | 'compiled' | 'now'>;

/** The users of managers, as far as they are known when their people are created. */
export class ManagerIds {
  readonly #awaited = new Map<string, UserId>();
  #isUnsure: boolean;

  /** `isResumed`: what an earlier attempt expected is not known. */
  constructor(
    private readonly parts: Parts,
    isResumed: boolean,
  ) {
    this.#isUnsure = isResumed;
  }

  /** By record id. A manager whose user this run creates later is known by the id that is planned. */
  async find(refs: readonly string[]): Promise<ReadonlyMap<string, UserId>> {
    const unique = [...new Set(refs)];
    const links = await this.parts.store.linkStates.many(unique);
    await this.#expect(
      unique.filter((ref) => !links.get(ref)?.userId),
      links,
    );
    const found = new Map<string, UserId>();
    for (const ref of unique) {
      const userId = links.get(ref)?.userId ?? this.#awaited.get(ref);
      if (userId) found.set(ref, userId);
    }
    return found;
  }

  /** A manager was not set by the command that creates or changes their people. */
  noteUnset(): void {
    this.#isUnsure = true;
  }

  /** Whether all managers were set, and have the users that were expected: nothing is left to do. */
  async areAllSet(): Promise<boolean> {
    if (this.#isUnsure) return false;
    const refs = [...this.#awaited.keys()];
    for (let from = 0; from < refs.length; from += 1_000) {
      const some = refs.slice(from, from + 1_000);
      const links = await this.parts.store.linkStates.many(some);
      if (some.some((ref) => links.get(ref)?.userId !== this.#awaited.get(ref))) return false;
    }
    return true;
  }

  /** Those who were read, are employed, and are not in quarantine: the plan creates their users. */
  async #expect(
    withoutUser: readonly string[],
    links: ReadonlyMap<string, LinkState>,
  ): Promise<void> {
    const { store, gateway, run, compiled, now } = this.parts;
    const refs = withoutUser.filter((ref) => !this.#awaited.has(ref));
    if (refs.length === 0) return;
    // With links to existing users, a record may get a user that is known only when it is applied.
    const { link = 0, relink = 0 } = run.counts.planned;
    if (link + relink > 0 || this.#awaited.size + refs.length > MAX_AWAITED) return;
    const staged = await store.staged(run.id).many(refs);
    const waiting = await store.quarantine.many(refs);
    const today = todayIn(compiled.lifecycle, now());
    for (const [ref, record] of staged) {
      if (record.kind !== 'record' || waiting.has(ref)) continue;
      if (!isStage('active', record.data, compiled.lifecycle, today)) continue;
      const of = links.get(ref) ?? { sourceId: ref, rev: 0, life: run.id };
      this.#awaited.set(ref, gateway.idOfNewUser(of));
    }
  }
}
