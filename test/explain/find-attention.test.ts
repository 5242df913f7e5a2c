import { describe, expect, it } from 'vitest';
import type { ApiKeyId, TenantId } from '../../src/domain/kernel/ids.js';
import { NO_CONNECTION } from '../../src/domain/tenant/connection.js';
import type { ConnectionOfKey } from '../../src/explain/connection-of-key.js';
import { findAttention } from '../../src/explain/find-attention.js';
import { newId } from '../../src/pipeline/submit.js';
import { aTenant } from '../support/builders.js';

const NOW = new Date('2026-11-28T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const after = (ms: number): Date => new Date(NOW.getTime() + ms);

type Facts = Parameters<typeof findAttention>[0];

interface GivenKey {
  readonly expiresIn?: number;
  readonly lastRequest: number;
  readonly userAgent?: string;
}

const aKey = (description: string, { expiresIn, lastRequest, ...more }: GivenKey) => {
  const connection: ConnectionOfKey = {
    key: {
      id: newId<ApiKeyId>(),
      tenantId: newId<TenantId>(),
      description,
      hash: '',
      prefix: `rg_${description}`,
      scopes: ['api:users:read'],
      createdAt: after(-90 * DAY),
      ...(expiresIn !== undefined && { expiresAt: after(expiresIn) }),
    },
    connection: { ...NO_CONNECTION, lastRequestAt: after(lastRequest), ...more },
  };
  return connection;
};

const found = (facts: Partial<Facts>): readonly string[] => {
  const { key } = aKey('Okta', { lastRequest: 0 });
  return findAttention({
    tenant: aTenant(),
    identityProvider: { key, lastUsedAt: NOW },
    connections: [],
    failures: [],
    refusedCount: 0,
    refused: [],
    refusedGroups: [],
    failedCount: 0,
    skipped: [],
    now: NOW,
    ...facts,
  }).map(({ code }) => code);
};

describe('what needs attention', () => {
  it('begins with what has a deadline', () => {
    const tenant = aTenant({ seatCapacity: 100, seatsProvisioned: 96 });
    const connections = [aKey('HR', { expiresIn: 3 * DAY, lastRequest: -HOUR })];
    expect(found({ tenant, connections })).toEqual(['API_KEY_EXPIRES', 'SEATS_NEARLY_FULL']);
  });

  it('has no key that expires if another one is used instead', () => {
    const userAgent = 'Okta SCIM Client 1.0.0';
    const connections = [
      aKey('old', { expiresIn: 3 * DAY, lastRequest: -2 * DAY, userAgent }),
      aKey('new', { lastRequest: -HOUR, userAgent }),
    ];
    expect(found({ connections })).toEqual([]);
  });

  it('has a key that expires and is used beside another one of the same client', () => {
    const userAgent = 'python-requests/2.32';
    const connections = [
      aKey('payroll', { expiresIn: 3 * DAY, lastRequest: -2 * HOUR, userAgent }),
      aKey('badges', { lastRequest: -HOUR, userAgent }),
    ];
    expect(found({ connections })).toEqual(['API_KEY_EXPIRES']);
  });

  it.each([
    ['before the key worked again', -2 * HOUR, []],
    ['after it worked', -HOUR / 2, ['AUTHENTICATIONS_FAILED']],
  ])('counts failed authentications %s: %j', (_when, lastAt, codes) => {
    const { key, connection } = aKey('HR', { lastRequest: -HOUR });
    const connections = [{ key, connection: { ...connection, lastSuccessAt: after(-HOUR) } }];
    const failure = {
      tenantId: key.tenantId,
      address: '198.51.100.7',
      keyPrefix: key.prefix,
      reason: 'expired_key',
      scope: null,
      firstAt: after(-3 * HOUR),
      lastAt: after(lastAt),
      count: 12,
    } as const;
    expect(found({ connections, failures: [failure] })).toEqual(codes);
  });
});
