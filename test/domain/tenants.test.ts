import { describe, expect, it } from 'vitest';
import { DEFAULT_SCIM_SETTINGS } from '../../src/domain/tenant/scim-settings.js';
import type { RoomId, TenantId } from '../../src/domain/kernel/ids.js';
import { aTenant, idOf, TENANT_ID } from '../support/builders.js';
import { given } from '../support/given.js';

const create = {
  type: 'tenant.create',
  slug: 'acme',
  name: 'Acme',
  seatCapacity: 10,
  defaultRole: 'member',
  roomProvisioning: 'manual',
} as const;

describe('tenants', () => {
  it('are created empty', () => {
    given({ tenant: undefined })
      .when(create)
      .thenResult({ id: TENANT_ID, slug: 'acme', seatsProvisioned: 0, userCount: 0 });
  });

  it('require a unique slug', () => {
    given({ tenant: undefined, tenants: [{ id: idOf<TenantId>(1), slug: 'acme' }] })
      .when(create)
      .thenRefused('SLUG_TAKEN');
  });

  it('may get fewer seats than are in use, without deactivating users', () => {
    given({ tenant: aTenant({ seatCapacity: 10, seatsProvisioned: 8 }) })
      .when({ type: 'tenant.update', seatCapacity: 3 })
      .thenTenant({ seatCapacity: 3, seatsProvisioned: 8 })
      .thenEvents();
  });

  it('have a version of name and settings, which counts do not change', () => {
    given({ tenant: undefined }).when(create).thenResult({ version: 1 });
    given({})
      .when({ type: 'tenant.update', name: 'Other', ifMatch: [1] })
      .thenTenant({ version: 2 });
    given({})
      .when({ type: 'room.create', roomId: idOf<RoomId>(1), name: 'Dispatch' })
      .thenTenant({ roomCount: 1, version: 1 });
    for (const type of ['tenant.update', 'tenant.delete'] as const)
      given({})
        .when({ type, ifMatch: [7] })
        .thenRefused('PRECONDITION_FAILED');
  });

  it('are created with default SCIM settings and keep those that an update omits', () => {
    const defaults = DEFAULT_SCIM_SETTINGS;
    expect(defaults).toEqual({
      putWithoutMembers: 'clear',
      unknownMembers: 'reject',
      postExisting: 'conflict',
      accessTokens: false,
      logPosition: false,
      roles: false,
      profile: 'standard',
      strictErrors: false,
      maxRemovalsPerHour: null,
    });
    given({ tenant: undefined }).when(create).thenResult({ scim: defaults });
    given({})
      .when({ type: 'tenant.update', scim: { strictErrors: true } })
      .thenTenant({ scim: { ...defaults, strictErrors: true } });
    given({}).when({ type: 'tenant.update', scim: defaults }).thenNothingHappens();
  });

  it('do not change if the request matches them', () => {
    given({}).when({ type: 'tenant.update', name: 'Acme Rescue' }).thenNothingHappens();
  });

  it('are not found after they are deleted', () => {
    given({ tenant: undefined }).when({ type: 'tenant.delete' }).thenRefused('TENANT_NOT_FOUND');
    given({ tenant: undefined })
      .when({ type: 'tenant.update', name: 'x' })
      .thenRefused('TENANT_NOT_FOUND');
  });
});
