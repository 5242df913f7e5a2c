import type { UserId } from '../../../src/plugin/api.js';
import type { FormerRecord } from '../identify/identities.js';
import { type Deferral, type Link, LINK_STATE, type LinkState } from '../link.js';
import { Documents, expiryIn, type StoreParts } from './documents.js';
import { type ApplyProgress, HISTORY_DAYS, NO_PROGRESS } from './plan-store.js';

const DAY_MS = 86_400_000;

/** A link whose user would be inactive, if no other record claimed them. */
export type DeferredLink = Link & { readonly deferred: Deferral };

const PRESENCE = ['sourceId', 'state', 'missingIn'] as const;
export type LinkPresence = Pick<Link, (typeof PRESENCE)[number]>;

type OfRecord = Pick<Link, 'sourceId'>;
/** The mark of a link that is found by what it is; only its record id is stored. */
type Mark = OfRecord & Partial<Pick<Link, 'state' | 'changesOn'>>;

const nameOf = ({ sourceId }: OfRecord): string => sourceId;

/** The links of one connector. */
export const createLinkStore = (store: StoreParts) => {
  const { collection, tenantId, connector, now, guard, receivesUploads = false } = store;
  const parts = { collection: collection('links'), tenantId, guard };
  const ofConnector = (name: string) => ({ ...parts, prefix: `l:${name}:`, nameOf });
  const linksOf = (name: string) => new Documents<Link>(ofConnector(name));
  const links = linksOf(connector);
  const owners = new Documents<FormerRecord & Pick<Link, 'userId' | 'rev'>>({
    ...parts,
    prefix: 'u:',
    nameOf: ({ userId }) => userId ?? '',
    write: ({ connector: name, sourceId }) => ({ connector: name, sourceId }),
  });
  const { unused, deferred, managerless } = createMarks(store);
  const expiresAt = expiryIn(HISTORY_DAYS, now);
  const progressOf = (runId: string) =>
    new Documents<ApplyProgress>({ ...parts, prefix: 'p:', nameOf: () => runId, expiresAt });

  /** The links with a mark. Marks that are left over are deleted by the next run that finds them. */
  const marked = async function* <Marked extends Link>(
    marks: Documents<Mark>,
    isMarked: (link: Link) => link is Marked,
  ): AsyncGenerator<readonly Marked[]> {
    for await (const page of marks.pages()) {
      const ids = page.map(nameOf);
      const found = [...(await links.many(ids)).values()].filter(isMarked);
      const left = new Set(found.map(nameOf));
      if (guard.fence) await marks.delete(ids.filter((id) => !left.has(id)));
      yield found;
    }
  };

  return {
    links,
    linksOf,
    /** The links, without what was read and applied. */
    linkStates: new Documents<LinkState>({ ...ofConnector(connector), fields: LINK_STATE }),
    /** What says whether a record that was not read is missing. */
    linkPresence: new Documents<LinkPresence>({ ...ofConnector(connector), fields: PRESENCE }),
    /** Links without a user, of future hires and of people who have left. */
    unusedLinks: () => marked(unused, hasNoUser),
    /** Links whose deactivation waits. */
    deferredLinks: () => marked(deferred, isDeferred),
    /** Of a connector that receives uploads: links whose manager has no user yet. */
    managerlessLinks: () => marked(managerless, hasUnmetManager),
    /** Which records have these users. */
    owners: (userIds: readonly UserId[]): Promise<ReadonlyMap<string, FormerRecord>> =>
      owners.many(userIds),
    /** The links of records of any connector, by connector and record id. */
    linksOfOwners: (all: readonly FormerRecord[]) => linksOfOwners(all, linksOf),
    /** Links and the progress of the run, together. */
    putLinks: async (runId: string, changed: readonly Link[], progress: ApplyProgress) => {
      /** Whether its record had no link before. */
      const isFirst = ({ rev }: Pick<Link, 'rev'>): boolean => progress.pass === 1 && rev === 1;
      const owned = changed.flatMap(({ userId, sourceId, rev }) =>
        userId === null ? [] : [{ userId, connector, sourceId, rev }],
      );
      // First: a link without its mark would never be found.
      await deferred.put(changed.filter(isDeferred));
      if (receivesUploads) await managerless.put(changed.filter(hasUnmetManager));
      await parts.collection.put(
        tenantId,
        [
          ...links.toStore(changed, isFirst),
          ...owners.toStore(owned, isFirst),
          ...unused.toStore(changed.filter(hasNoUser)),
          ...progressOf(runId).toStore([progress]),
        ],
        guard,
      );
    },
    progress: async (runId: string) => (await progressOf(runId).get(runId)) ?? NO_PROGRESS,
  };
};

const isDeferred = (link: Link): link is DeferredLink => link.deferred !== undefined;
const hasNoUser = (link: Link): link is Link & { readonly userId: null } => link.userId === null;
const hasUnmetManager = (link: Link): link is Link & { readonly unmetManager: string } =>
  link.unmetManager !== null;

const createMarks = ({ collection, tenantId, connector, now, guard }: StoreParts) => {
  const expiresAt = expiryIn(HISTORY_DAYS, now);
  const marks = (prefix: string, expires?: (mark: Mark) => Date) =>
    new Documents<Mark>({
      ...{ collection: collection('links'), tenantId, guard, prefix, nameOf },
      ...(expires && { expiresAt: expires }),
      read: ({ key }) => ({ sourceId: key.slice(prefix.length) }),
      write: () => ({}),
    });
  return {
    /** A future hire is of interest until the day of the hire, a leaver for a quarter. */
    unused: marks(`n:${connector}:`, ({ state, changesOn = null }) =>
      state === 'future' && changesOn !== null
        ? new Date(Date.parse(changesOn) + 2 * DAY_MS)
        : expiresAt(),
    ),
    deferred: marks(`d:${connector}:`),
    managerless: marks(`m:${connector}:`),
  };
};

const linksOfOwners = async (
  all: readonly FormerRecord[],
  linksOf: (connector: string) => Documents<Link>,
): Promise<ReadonlyMap<string, Link>> => {
  const found = new Map<string, Link>();
  for (const name of new Set(all.map(({ connector }) => connector))) {
    const ids = all.filter(({ connector }) => connector === name).map(nameOf);
    for (const [id, link] of await linksOf(name).many([...new Set(ids)]))
      found.set(`${name}:${id}`, link);
  }
  return found;
};
