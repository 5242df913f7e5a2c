import type { UserId } from '../../../src/plugin/api.js';
import {
  type Deferral,
  type Link,
  LINK_PRESENCE,
  LINK_STATE,
  type LinkPresence,
  type LinkState,
} from '../link.js';
import { createDocuments, type Documents, expiryIn, type StoreParts } from './documents.js';
import { type ApplyProgress, HISTORY_DAYS, NO_PROGRESS } from './plan-store.js';

const DAY_MS = 86_400_000;

/** Whose link a user has. */
export interface UserOwner {
  readonly connector: string;
  readonly sourceId: string;
}

/** A link whose user would be inactive, if no other record claimed them. */
export type DeferredLink = Link & { readonly deferred: Deferral };

/** The mark of a link that is found by what it is; only its record id is stored. */
type Mark = Pick<Link, 'sourceId'> & Partial<Pick<Link, 'state' | 'changesOn'>>;

/** The links of one connector. */
export const createLinkStore = (store: StoreParts) => {
  const { collection, tenantId, connector, now, fence } = store;
  const parts = { collection: collection('links'), tenantId, fence };
  const expiresAt = expiryIn(HISTORY_DAYS, now);
  const ofConnector = (name: string) => ({
    ...parts,
    prefix: `l:${name}:`,
    nameOf: ({ sourceId }: Pick<Link, 'sourceId'>) => sourceId,
  });
  const linksOf = (name: string) => createDocuments<Link>(ofConnector(name));
  const links = linksOf(connector);
  const marks = (prefix: string, expires?: (mark: Mark) => Date): Documents<Mark> =>
    createDocuments<Mark>({
      ...parts,
      prefix,
      nameOf: ({ sourceId }) => sourceId,
      ...(expires && { expiresAt: expires }),
      read: ({ key }) => ({ sourceId: key.slice(prefix.length) }),
      write: () => ({}),
    });
  /** Who has no user: a future hire is of interest until the day of the hire, a leaver for a quarter. */
  const unused = marks(`n:${connector}:`, ({ state, changesOn = null }) =>
    state === 'future' && changesOn !== null
      ? new Date(Date.parse(changesOn) + 2 * DAY_MS)
      : expiresAt(),
  );
  const deferred = marks(`d:${connector}:`);
  const owners = createDocuments<UserOwner & Pick<Link, 'userId' | 'rev'>>({
    ...parts,
    prefix: 'u:',
    nameOf: ({ userId }) => userId ?? '',
    write: ({ connector: name, sourceId }) => ({ connector: name, sourceId }),
  });
  const progressOf = (runId: string) =>
    createDocuments<ApplyProgress>({ ...parts, prefix: 'p:', nameOf: () => runId, expiresAt });

  return {
    links,
    linksOf,
    /** The links, without what was read and applied. */
    linkStates: createDocuments<LinkState>({ ...ofConnector(connector), fields: LINK_STATE }),
    linkPresence: createDocuments<LinkPresence>({
      ...ofConnector(connector),
      fields: LINK_PRESENCE,
    }),
    /** Links without a user, of future hires and of people who have left; the first ones. */
    unusedLinks: async (limit: number) => {
      const ids = (await unused.list(limit)).map(({ sourceId }) => sourceId);
      // The record may have got a user since.
      return [...(await links.many(ids)).values()].filter(({ userId }) => userId === null);
    },
    /** Links of those who join later. */
    futureLinks: async function* (): AsyncGenerator<readonly Link[]> {
      for await (const page of unused.pages()) {
        const found = await links.many(page.map(({ sourceId }) => sourceId));
        yield [...found.values()].filter(
          ({ userId, state }) => userId === null && state === 'future',
        );
      }
    },
    /** Links whose deactivation waits. Marks of others are left over, and are deleted. */
    deferredLinks: async function* (): AsyncGenerator<readonly DeferredLink[]> {
      for await (const page of deferred.pages()) {
        const ids = page.map(({ sourceId }) => sourceId);
        const found = await links.many(ids);
        const waiting = [...found.values()].filter(
          (link): link is DeferredLink => link.deferred !== undefined,
        );
        const left = new Set(waiting.map(({ sourceId }) => sourceId));
        if (fence) await deferred.delete(ids.filter((id) => !left.has(id)));
        yield waiting;
      }
    },
    /** Which records have these users. */
    owners: (userIds: readonly UserId[]): Promise<ReadonlyMap<string, UserOwner>> =>
      owners.many(userIds),
    /** The links of records of any connector, by connector and record id. */
    linksOfOwners: (all: readonly UserOwner[]) => linksOfOwners(all, linksOf),
    /** Links and the progress of the run, together. */
    putLinks: (runId: string, changed: readonly Link[], progress: ApplyProgress) => {
      /** Whether its record had no link before. */
      const isFirst = ({ rev }: Pick<Link, 'rev'>): boolean => progress.pass === 1 && rev === 1;
      const owned = changed.flatMap(({ userId, sourceId, rev }) =>
        userId === null ? [] : [{ userId, connector, sourceId, rev }],
      );
      return parts.collection.put(
        tenantId,
        [
          ...links.toStore(changed, isFirst),
          ...owners.toStore(owned, isFirst),
          ...unused.toStore(changed.filter(({ userId }) => userId === null)),
          ...deferred.toStore(changed.filter((link) => link.deferred !== undefined)),
          ...progressOf(runId).toStore([progress]),
        ],
        fence ? { fence } : {},
      );
    },
    progress: async (runId: string) => (await progressOf(runId).get(runId)) ?? NO_PROGRESS,
  };
};

const linksOfOwners = async (
  all: readonly UserOwner[],
  linksOf: (connector: string) => Documents<Link>,
): Promise<ReadonlyMap<string, Link>> => {
  const found = new Map<string, Link>();
  for (const name of new Set(all.map(({ connector }) => connector))) {
    const ids = all.filter(({ connector }) => connector === name).map(({ sourceId }) => sourceId);
    for (const [id, link] of await linksOf(name).many([...new Set(ids)]))
      found.set(`${name}:${id}`, link);
  }
  return found;
};
