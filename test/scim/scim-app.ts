import type { ScimParts } from '../../src/http/scim/scim-interface.js';
import type { AppParts } from '../../src/http/app.js';
import { type FakeApp, createFakeApp } from '../support/fake-app.js';
import type { FakeBackend } from '../support/fake-world.js';
import { memoryGroups, memoryUsers } from './memory-readers.js';

export const PUBLIC_URL = 'http://gateway.test';
export const CANONICAL = '/v1/acme/scim/v2';
/** SCIM is also served at the tenant's root (decisions.md 1). */
export const MOUNTS = [CANONICAL, '/v1/acme'] as const;

export const MAX_BULK_OPERATIONS = 1000;

export const NO_ROLES: ScimParts['roles'] = {
  names: () => Promise.resolve([]),
  counts: () => Promise.resolve(new Map()),
};

/** The HTTP app with the SCIM interface, over users and groups in memory and the real deciders. */
export interface ScimApp extends FakeApp {
  /** The calls of the group reader, by method name. */
  readonly lookups: string[];
}

export const createScimApp = (more: Partial<AppParts> = {}): ScimApp => {
  const world = (): FakeBackend => app.backend;
  const lookups: string[] = [];
  const scim: ScimParts = {
    users: memoryUsers(world),
    groups: memoryGroups(world, lookups),
    events: { position: () => Promise.resolve(0) },
    roles: NO_ROLES,
    maxBulkOperations: MAX_BULK_OPERATIONS,
  };
  const app: FakeApp = createFakeApp({ scim, ...more });
  return { ...app, lookups };
};
