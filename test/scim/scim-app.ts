import type { UserQuery, UserReader } from '../../src/api/users.js';
import type { AttributeReference } from '../../src/domain/filter.js';
import { matchFilter } from '../../src/domain/match-filter.js';
import { displayNameOf, type User } from '../../src/domain/user.js';
import { type ScimFeatures } from '../../src/scim/discovery.js';
import { applyUserPatch } from '../../src/scim/patch/apply-patch.js';
import { scimInterface } from '../../src/http/scim/scim-interface.js';
import type { AppParts } from '../../src/http/app.js';
import { type FakeApp, makeFakeApp } from '../support/fake-app.js';
import type { FakeWorld } from '../support/fake-world.js';
import { asFiltered } from './as-filtered.js';

export const PUBLIC_URL = 'http://gateway.test';
export const CANONICAL = '/v1/acme/scim/v2';
/** SCIM is served at the tenant's root as well (decisions.md 1). */
export const MOUNTS = [CANONICAL, '/v1/acme'] as const;

export const FEATURES: ScimFeatures = {
  bulk: { supported: false, maxOperations: 1000, maxPayloadSize: 8 * 1024 * 1024 },
  cursors: false,
};

const sortKey = (user: User, { path }: AttributeReference): string =>
  ({
    displayName: displayNameOf(user.profile),
    userName: user.profile.userName,
    'meta.lastModified': user.updatedAt.toISOString(),
  })[path.join('.')] ?? user.id;

const inOrder = (users: readonly User[], sort: UserQuery['sort']): readonly User[] => {
  if (!sort) return users;
  const sign = sort.descending ? -1 : 1;
  return users.toSorted(
    (one, other) => sign * (sortKey(one, sort.attribute) < sortKey(other, sort.attribute) ? -1 : 1),
  );
};

/** The fake world's users, found by filters as the database would find them. */
const filteredReader = (world: () => FakeWorld): UserReader => ({
  find: (tenantId, id) => world().userReader.find(tenantId, id),
  page: async (tenantId, { filter, sort, offset, limit, defaultRole }) => {
    const { fault, users } = world();
    if (fault) throw fault;
    const all = users
      .filter((user) => user.tenantId === tenantId)
      .filter((user) => !filter || matchFilter(filter, asFiltered(user, defaultRole)));
    const page = inOrder(all, sort).slice(offset, offset + limit);
    return Promise.resolve({ users: page, total: all.length });
  },
});

/** The whole edge with SCIM, over users in memory and the real deciders. */
export const makeScimApp = (more: Partial<AppParts> = {}): FakeApp => {
  const world = (): FakeWorld => app.world;
  const scim = scimInterface({
    users: filteredReader(world),
    submit: (submission) => world().submit(submission),
    publicUrl: PUBLIC_URL,
    bodyLimit: 8 * 1024 * 1024,
    features: FEATURES,
  });
  const app: FakeApp = makeFakeApp({ scim, ...more });
  app.world.rules = { ...app.world.rules, applyPatch: applyUserPatch };
  return app;
};
