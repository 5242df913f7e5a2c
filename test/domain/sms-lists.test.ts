import { describe, expect, it } from 'vitest';
import type { CommandOf } from '../../src/domain/commands.js';
import type { JobId, SmsListId } from '../../src/domain/kernel/ids.js';
import { anApiKeyActor, envelopeOf, idOf, NOW } from '../support/builders.js';
import { createSmsList } from '../../src/domain/sms/sms-list-deciders.js';
import { factsOver } from '../support/array-facts.js';
import { aTenant } from '../support/builders.js';
import { given } from '../support/given.js';
import { aSmsList, aSmsMember, LIST_ID } from '../support/sms.js';

const OTHER = idOf<SmsListId>(0x5116);

const creating = (more: Partial<CommandOf<'sms-list.create'>> = {}) =>
  ({
    type: 'sms-list.create',
    listId: LIST_ID,
    name: 'Night shift',
    externalId: null,
    validFrom: null,
    validUntil: null,
    ...more,
  }) as const;

const updating = (more: Partial<CommandOf<'sms-list.update'>>) =>
  ({ type: 'sms-list.update', listId: LIST_ID, ...more }) as const;

const later = new Date(NOW.getTime() + 1_000);

describe('sms-list.create', () => {
  it('creates an empty list and emits an event', () => {
    given({})
      .when(creating({ externalId: 'roster-7' }))
      .thenResult({ name: 'Night shift', externalId: 'roster-7', memberCount: 0, version: 1 })
      .thenTenant({ smsListCount: 1 })
      .thenData('sms_list.created', {
        list: { id: LIST_ID, external_id: 'roster-7', name: 'Night shift' },
        api_key_id: null,
      });
  });

  it('names the API key that acted', () => {
    const actor = anApiKeyActor();
    const envelope = envelopeOf<'sms-list.create'>(creating(), { actor });
    const facts = factsOver({ known: {}, tenant: aTenant() });
    const verdict = createSmsList.decide(envelope, facts, {} as never);
    expect(verdict).toMatchObject({
      events: [{ data: { api_key_id: 'id' in actor && actor.id } }],
    });
  });

  it('refuses the name of another list, case-insensitively', () => {
    given({ smsLists: [aSmsList({ id: OTHER, name: 'NIGHT  Shift' })] })
      .when(creating())
      .thenRefused('NAME_TAKEN');
  });

  it('refuses the external id of another list', () => {
    given({ smsLists: [aSmsList({ id: OTHER, name: 'Other', externalId: 'a' })] })
      .when(creating({ externalId: 'a' }))
      .thenRefused('EXTERNAL_ID_TAKEN');
  });

  it.each([
    ['ends when it starts', NOW, NOW],
    ['ends before it starts', later, NOW],
  ])('refuses a window that %s', (_how, validFrom, validUntil) => {
    given({}).when(creating({ validFrom, validUntil })).thenRefused('INVALID_REQUEST');
  });
});

describe('sms-list.update', () => {
  const list = aSmsList({ externalId: 'a', validUntil: later });

  it('reports the changed fields by their API names', () => {
    given({ smsLists: [list] })
      .when(updating({ name: 'Day shift', externalId: null, validFrom: NOW, validUntil: null }))
      .thenResult({ name: 'Day shift', externalId: null, version: 2 })
      .thenData('sms_list.updated', {
        list: { id: LIST_ID, external_id: null, name: 'Day shift' },
        changed: ['external_id', 'name', 'valid_from', 'valid_until'],
        api_key_id: null,
      });
  });

  it('changes nothing if the list already matches', () => {
    given({ smsLists: [list] })
      .when(updating({ name: 'Night shift', validUntil: new Date(later) }))
      .thenNothingHappens();
  });

  it('accepts other letter case in its own name', () => {
    given({ smsLists: [list] })
      .when(updating({ name: 'NIGHT SHIFT' }))
      .thenEvents('sms_list.updated');
  });

  it('refuses a start that is not before the current end', () => {
    given({ smsLists: [list] })
      .when(updating({ validFrom: later }))
      .thenRefused('INVALID_REQUEST');
  });

  it('refuses another version', () => {
    given({ smsLists: [list] })
      .when(updating({ name: 'X', ifMatch: [7] }))
      .thenRefused('PRECONDITION_FAILED');
  });

  it('refuses an unknown list', () => {
    given({})
      .when(updating({ name: 'X' }))
      .thenRefused('SMS_LIST_NOT_FOUND');
  });
});

describe('sms-list.delete', () => {
  const command = { type: 'sms-list.delete', listId: LIST_ID } as const;

  it('deletes the members too, with one event', () => {
    given({
      smsLists: [aSmsList({ memberCount: 2 })],
      smsMembers: [aSmsMember(0), aSmsMember(1)],
    })
      .when(command)
      .thenEvents('sms_list.deleted')
      .thenTenant({ smsListCount: -1 });
  });

  it('is postponed while a job changes its members', () => {
    given({ smsLists: [aSmsList({ pendingJob: 'a-job' as JobId })] })
      .when(command)
      .thenRefused('UNAVAILABLE');
  });
});
