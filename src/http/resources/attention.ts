import type { ApiKeyWithUse } from '../../ports/tenants.js';
import {
  type Attention,
  type ExtensionOverview,
  type NamedOverview,
  SEVERITIES,
  type TenantAttention,
} from '../../routes/extensions.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { isForProvider } from '../../explain/connection-of-key.js';
import { findAttention } from '../../explain/find-attention.js';
import { connectionsOf, keysOf } from './connections.js';
import { readRefusedGroups } from './refused-groups.js';
import type { RouteParts } from './route-parts.js';

type Used = Pick<ApiKeyWithUse, 'key' | 'lastUsedAt'>;

/** Of the keys for identity providers, the one that was used last, or else the newest. */
export const identityProviderIn = <Key extends Used>(keys: readonly Key[]): Key | undefined =>
  keys.filter(isForProvider).sort((one, other) => orderOf(other) - orderOf(one))[0];

/** Any use counts more than a creation. */
const orderOf = ({ key, lastUsedAt }: Used): number =>
  lastUsedAt ? lastUsedAt.getTime() + Number.MAX_SAFE_INTEGER / 2 : key.createdAt.getTime();

const bySeverity = (one: Attention, other: Attention): number =>
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity);

const unreadable = ({ name, counts }: NamedOverview): ExtensionOverview => ({
  counts: Object.fromEntries(Object.keys(counts).map((one) => [one, 0])),
  attention: [
    {
      severity: 'warning',
      code: 'PLUGIN_UNAVAILABLE',
      message: `The plugin ${name} did not respond.`,
      action: 'Its health is on the page System.',
      link: null,
    },
  ],
});

const HOUR_MS = 3_600_000;
/** Entries whose codes are compared. */
const MAX_NEWEST = 100;
/** Tenants that are read at once. */
const PAGE = 100;

type AttentionParts = Pick<
  RouteParts,
  | 'tenants'
  | 'apiKeys'
  | 'connections'
  | 'commands'
  | 'activity'
  | 'roleMappings'
  | 'extensions'
  | 'now'
>;

/** What the home page of a tenant lists, and notifications report. */
export const createAttention = (parts: AttentionParts) => {
  const { tenants, commands, activity, extensions } = parts;

  /** Most severe first, with what was read for it. */
  const of = async (tenant: Tenant) => {
    const { id, scim } = tenant;
    // A command may have been logged in this millisecond.
    const now = new Date(parts.now().getTime() + 1);
    const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);
    const since = before(24);
    const lastDay = { from: since, until: now };
    const [connections, failures, refusedCount, refused, groups, failedCount, skipped, added] =
      await Promise.all([
        keysOf(parts, tenant).then((keys) => connectionsOf(parts, keys, now)),
        parts.connections.failures(id, before(1)),
        activity.count(id, 'refused', lastDay),
        commands.page(id, { outcome: 'refused', since, limit: MAX_NEWEST }),
        readRefusedGroups(parts, id, now),
        activity.count(id, 'failed', lastDay),
        // Only if the tenant leaves them out.
        scim.unknownMembers === 'skip'
          ? commands.page(id, { skipped: true, since, limit: 2 })
          : { entries: [] },
        Promise.all(
          extensions.overviews.map(async (one) => ({
            name: one.name,
            ...(await one.read(tenant).catch(() => unreadable(one))),
          })),
        ),
      ]);
    const unsolved = refused.entries.filter((entry) => !groups.isCovered(entry));
    const identityProvider = identityProviderIn(
      // A key's own time is stored later.
      connections.map((one) => ({ ...one, lastUsedAt: one.connection.lastRequestAt })),
    );
    const found = findAttention({
      ...{ tenant, identityProvider, connections, failures, failedCount, now },
      refusedCount: refusedCount - refused.entries.length + unsolved.length,
      refused: unsolved,
      refusedGroups: groups.open,
      skipped: skipped.entries,
    });
    const attention = [...found, ...added.flatMap((one) => one.attention)].sort(bySeverity);
    return { identityProvider, extensions: added, attention };
  };

  /** Of these tenants, or of all, one after another. */
  async function* each(slugs?: readonly string[]): AsyncIterable<TenantAttention> {
    for (let offset = 0; ; offset += PAGE) {
      const { items: page } = await tenants.page({ offset, limit: PAGE }, slugs ?? null);
      for (const tenant of page) yield { tenant, attention: (await of(tenant)).attention };
      if (page.length < PAGE) return;
    }
  }

  return { of, each };
};
