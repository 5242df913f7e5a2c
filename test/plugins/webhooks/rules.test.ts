import fc from 'fast-check';
import { presentRotation } from '../../../plugins/webhooks/bodies.js';
import { describe, expect, it } from 'vitest';
import type { PluginDecision } from '../../../src/domain/kernel/decider.js';
import type { RecordId } from '../../../src/domain/kernel/ids.js';
import type { JsonObject } from '../../../src/domain/kernel/json.js';
import type { PluginRecord } from '../../../src/domain/plugin/plugin-record.js';
import {
  endedKeysOf,
  keyOf,
  readRegistration,
  registrationFor,
} from '../../../plugins/webhooks/registration.js';
import { webhookRules } from '../../../plugins/webhooks/rules.js';
import { idOf, NOW, TENANT_ID } from '../../support/builders.js';

const DATA = {
  url: 'https://hook.test/',
  events: ['user.created'],
  status: 'active',
  epoch: 1,
  description: null,
  secret: 'sealed',
};

const aRecord = (number: number, more: JsonObject = {}): PluginRecord => ({
  id: idOf<RecordId>(number),
  tenantId: TENANT_ID,
  plugin: 'webhooks',
  data: { ...DATA, ...more },
  version: 1,
  createdAt: NOW,
});

const decide = (
  rule: keyof typeof webhookRules,
  records: readonly PluginRecord[],
  input: JsonObject,
): Exclude<PluginDecision, { refusal: unknown }> | { readonly refused: string } => {
  const verdict = webhookRules[rule](input, {
    now: NOW,
    seq: 0,
    records,
    newRecord: (data) => ({ ...aRecord(0xffff), data }),
  });
  return 'refusal' in verdict ? { refused: verdict.refusal.code } : verdict;
};

const update = (record: PluginRecord, changes: JsonObject, more: JsonObject = {}) =>
  decide('update', [aRecord(90), record, aRecord(91)], { id: record.id, changes, ...more });

describe('the keys of a registration', () => {
  const endedOf = (more: JsonObject) => endedKeysOf(readRegistration(aRecord(1, more)));
  const key = (epoch: number): string => keyOf({ id: idOf<RecordId>(1), epoch });

  it('have ended except the one of this epoch, and all of them while it is disabled', () => {
    expect(endedOf({ epoch: 1 })).toEqual([]);
    expect(endedOf({ epoch: 2, status: 'disabled' })).toEqual([key(2), key(1)]);
    expect(endedOf({ epoch: 3 })).toEqual([key(2), key(1)]);
  });
});

describe('headers of a registration whose url changes', () => {
  const HEADERS = [
    { name: 'Authorization', value: 'sealed one' },
    { name: 'X-Tenant', value: 'sealed two' },
  ];
  const record = aRecord(1, { headers: HEADERS });
  const moveTo = (url: string, headers: JsonObject = {}) => update(record, { url }, { headers });

  it.each(['https://other.test/', 'https://hook.test:8443/', 'https://hook.test.evil.test/'])(
    'are never sent to another server, %s, implicitly',
    (url) => {
      expect(moveTo(url)).toEqual({ refused: 'INVALID_REQUEST' });
      expect(moveTo(url, { authorization: 'new' })).toEqual({ refused: 'INVALID_REQUEST' });
    },
  );

  it('may be given again or taken away for another server', () => {
    const moved = moveTo('https://other.test/', { authorization: 'new', 'x-tenant': null });
    expect(moved).toMatchObject({
      put: [{ data: { headers: [{ name: 'authorization', value: 'new' }] } }],
    });
  });

  it.each(['https://hook.test/another/path', 'https://HOOK.test:443/?x=1'])(
    'stay for the same server, %s',
    (url) => {
      expect(moveTo(url)).toMatchObject({ put: [{ data: { url, headers: HEADERS } }] });
    },
  );

  it('do not prevent the change if there are none', () => {
    const url = 'https://other.test/';
    expect(update(aRecord(1), { url })).toMatchObject({ put: [{ data: { url } }] });
  });
});

describe('the rule that creates a registration', () => {
  const { status: _s, epoch: _e, ...input } = DATA;

  it('makes it active, in its first epoch', () => {
    expect(decide('create', [], input)).toMatchObject({
      put: [{ data: { ...DATA }, version: 1 }],
      result: { version: 1, webhook: { status: 'active', url: DATA.url } },
    });
  });

  it('returns the secret as it is stored, sealed, and only beside the registration', () => {
    const { result } = decide('create', [], input) as {
      result: { webhook: unknown; secret: string };
    };
    expect(result.secret).toBe(input.secret);
    expect(JSON.stringify(result.webhook)).not.toContain(input.secret);
  });

  it.each([
    ['operators a hundred', { isOperators: true }, 100, false],
    ['API keys ninety: operators have the rest', { isOperators: false }, 90, false],
    ['setup links ninety', { isCustomers: true }, 90, false],
    ['setup links twenty of their own', { isCustomers: true }, 20, true],
  ])('allows %s', (_who, by, most, isCustomers) => {
    const many = Array.from({ length: most }, (_, at) => aRecord(at, { isCustomers }));
    expect(decide('create', many.slice(1), { ...input, ...by })).toHaveProperty('put');
    expect(decide('create', many, { ...input, ...by })).toEqual({ refused: 'INVALID_REQUEST' });
  });
});

describe('the rule that changes a registration', () => {
  it('begins a new epoch when the status changes, either way', () => {
    expect(update(aRecord(1), { status: 'disabled' })).toMatchObject({
      put: [{ id: idOf(1), version: 2, data: { status: 'disabled', epoch: 2 } }],
    });
    expect(
      update(aRecord(1, { status: 'disabled', epoch: 2 }), { status: 'active' }),
    ).toMatchObject({ put: [{ data: { status: 'active', epoch: 3 } }] });
  });

  it('stays in its epoch when anything else changes: pending deliveries stay pending', () => {
    for (const changes of [
      { url: 'https://new.test/' },
      { events: ['*'] },
      { description: 'New' },
      { url: 'https://new.test/', status: 'active' },
    ])
      expect(update(aRecord(1, { epoch: 7 }), changes)).toMatchObject({
        put: [{ version: 2, data: { ...changes, epoch: 7, secret: 'sealed' } }],
      });
  });

  it('changes nothing if all values are the same', () => {
    const verdict = update(aRecord(1), { status: 'active', events: ['user.created'] });
    expect(verdict).toMatchObject({ result: { version: 1 } });
    expect(verdict).not.toHaveProperty('put');
  });

  it('is refused for another version, and for an id that does not exist', () => {
    const changes = { description: 'New' };
    expect(update(aRecord(1), changes, { ifMatch: [1, 5] })).toHaveProperty('put');
    expect(update(aRecord(1), changes, { ifMatch: '*' })).toHaveProperty('put');
    for (const ifMatch of [[2], []])
      expect(update(aRecord(1), changes, { ifMatch })).toEqual({ refused: 'PRECONDITION_FAILED' });
    expect(decide('update', [aRecord(1)], { id: idOf(2), changes })).toEqual({
      refused: 'WEBHOOK_NOT_FOUND',
    });
  });
});

describe('the rule that deletes a registration', () => {
  it('removes that one', () => {
    const [one, other] = [aRecord(1), aRecord(2)];
    expect(decide('delete', [one, other], { id: one.id })).toEqual({ remove: [one], result: null });
    expect(decide('delete', [other], { id: one.id })).toEqual({ refused: 'WEBHOOK_NOT_FOUND' });
    expect(decide('delete', [one], { id: one.id, ifMatch: [2] })).toEqual({
      refused: 'PRECONDITION_FAILED',
    });
  });
});

it('never serves a key again that was in use before the registration was disabled', () => {
  const statuses = fc.array(fc.constantFrom('active', 'disabled', 'url'), { maxLength: 20 });
  fc.assert(
    fc.property(statuses, (steps) => {
      let record = aRecord(1);
      const dropped = new Set<string>();
      for (const [at, step] of steps.entries()) {
        const changes = step === 'url' ? { url: `https://${at}.test/` } : { status: step };
        const verdict = webhookRules.update(
          { id: record.id, changes },
          { now: NOW, seq: at, records: [record], newRecord: () => record },
        );
        if ('refusal' in verdict) throw new Error('refused');
        if (step === 'disabled') dropped.add(keyOf(readRegistration(record)));
        record = verdict.put?.[0] ?? record;
        const known = new Map([[record.id, readRegistration(record)]]);
        for (const key of dropped) expect(registrationFor(known, key)).toBeUndefined();
      }
    }),
  );
});

describe('rotateSecret', () => {
  const DAY = 24 * 3_600_000;
  const until = (ms: number): string => new Date(NOW.getTime() + ms).toISOString();
  const ROTATION = { id: idOf(1), secret: 'new', overlapHours: 24, switch: 'now' } as const;
  const rotate = (more: JsonObject = {}, request: JsonObject = {}) => {
    const verdict = decide('rotateSecret', [aRecord(1, more)], { ...ROTATION, ...request });
    if ('refused' in verdict) throw new Error(verdict.refused);
    return verdict.put?.[0];
  };

  it('keeps the previous secret for a day, in the same epoch', () => {
    expect(rotate()).toMatchObject({
      version: 2,
      data: { secret: 'new', epoch: 1, previous: [{ secret: 'sealed', until: until(DAY) }] },
    });
  });

  it.each([
    ['now', 'new'],
    ['after_overlap', 'old'],
  ] as const)('is shown while both secrets sign, if it switches %s', (when, signedWith) => {
    const registration = readRegistration(rotate({}, { switch: when })!);
    const shown = { signed_with: signedWith, until: until(DAY) };
    expect(presentRotation(registration, NOW)).toEqual(shown);
    expect(presentRotation(registration, new Date(NOW.getTime() + DAY - 1))).toEqual(shown);
    expect(presentRotation(registration, new Date(NOW.getTime() + DAY))).toBeUndefined();
    const leaked = readRegistration(rotate({}, { switch: when, overlapHours: 0 })!);
    expect(presentRotation(leaked, NOW)).toBeUndefined();
  });

  it('keeps those of earlier rotations until they expire, newest first, at most five', () => {
    const before = [5, 4, 3, 2, 1, 0, -1].map((hours) => ({
      secret: `of ${hours}`,
      until: until(hours * 3_600_000),
    }));
    const { previous } = readRegistration(rotate({ previous: before })!);
    expect(previous.map(({ secret }) => secret)).toEqual([
      'sealed',
      'of 5',
      'of 4',
      'of 3',
      'of 2',
    ]);
    const late = readRegistration(rotate({ previous: before.slice(4) })!);
    expect(late.previous.map(({ secret }) => secret)).toEqual(['sealed', 'of 1']);
  });

  const before = [{ secret: 'of 3', until: until(3 * 3_600_000) }];
  const next = { secret: 'announced', from: until(2 * 3_600_000) };
  const HOUR = 3_600_000;

  it('signs with the new secret alone at once if there is no overlap', () => {
    for (const when of ['now', 'after_overlap'])
      expect(rotate({ previous: before, next }, { overlapHours: 0, switch: when })).toMatchObject({
        data: { secret: 'new', previous: [], next: null },
      });
  });

  it('switches to the new secret after the overlap if requested', () => {
    const request = { switch: 'after_overlap', overlapHours: 5 };
    expect(rotate({ previous: before }, request)).toMatchObject({
      data: { secret: 'sealed', previous: before, next: { secret: 'new', from: until(5 * HOUR) } },
    });
  });

  it('keeps signing with an announced secret when another rotation overtakes it', () => {
    const announced = { secret: 'announced', until: until(24 * HOUR) };
    expect(rotate({ next }, { switch: 'after_overlap' })).toMatchObject({
      data: { secret: 'sealed', previous: [announced], next: { secret: 'new', from: until(DAY) } },
    });
    expect(rotate({ next })).toMatchObject({
      data: {
        secret: 'new',
        previous: [announced, { secret: 'sealed', until: until(DAY) }],
        next: null,
      },
    });
  });

  it('replaces the secret that is current by then', () => {
    expect(rotate({ next: { secret: 'announced', from: until(-1) } })).toMatchObject({
      data: { secret: 'new', previous: [{ secret: 'announced', until: until(DAY) }], next: null },
    });
  });

  it('is refused for an unknown or changed registration', () => {
    const input = { ...ROTATION, id: idOf(2) };
    expect(decide('rotateSecret', [aRecord(1)], input)).toEqual({ refused: 'WEBHOOK_NOT_FOUND' });
    const stale = { ...ROTATION, ifMatch: [7] };
    expect(decide('rotateSecret', [aRecord(1)], stale)).toEqual({ refused: 'PRECONDITION_FAILED' });
  });
});

describe('disable', () => {
  const input = { id: idOf(1), epoch: 1, reason: 'All deliveries have failed.' };

  it('disables in a new epoch with a reason', () => {
    expect(decide('disable', [aRecord(1)], input)).toMatchObject({
      put: [
        { data: { status: 'disabled', epoch: 2, disabledReason: 'All deliveries have failed.' } },
      ],
      result: { webhook: { status: 'disabled', disabled_reason: 'All deliveries have failed.' } },
    });
  });

  it('does nothing if the registration has been changed or deleted', () => {
    for (const records of [[], [aRecord(1, { epoch: 3 })], [aRecord(1, { status: 'disabled' })]])
      expect(decide('disable', records, input)).toEqual({ result: null });
  });

  it('clears its reason when a user enables or disables the registration', () => {
    const disabled = aRecord(1, { status: 'disabled', epoch: 2, disabledReason: 'It failed.' });
    for (const status of ['active', 'disabled']) {
      const verdict = decide('update', [disabled], { id: idOf(1), changes: { status } });
      expect(verdict).toMatchObject({ put: [{ data: { disabledReason: null } }] });
    }
    const renamed = { id: idOf(1), changes: { description: 'x' } };
    expect(decide('update', [disabled], renamed)).toMatchObject({
      put: [{ data: { disabledReason: 'It failed.' } }],
    });
  });
});
