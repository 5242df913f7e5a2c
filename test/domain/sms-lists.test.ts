import { describe, expect, it } from 'vitest';
import type { CommandOf } from '../../src/domain/commands.js';
import type { JobId, SmsListId } from '../../src/domain/ids.js';
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
  it('makes an empty list and tells of it', () => {
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

  it('refuses a name that another list has in other letters', () => {
    given({ smsLists: [aSmsList({ id: OTHER, name: 'NIGHT Shift' })] })
      .when(creating())
      .thenRefused('NAME_TAKEN');
  });

  it('refuses an external id that another list has', () => {
    given({ smsLists: [aSmsList({ id: OTHER, name: 'Other', externalId: 'a' })] })
      .when(creating({ externalId: 'a' }))
      .thenRefused('EXTERNAL_ID_TAKEN');
  });

  it.each([
    ['ends when it begins', NOW, NOW],
    ['ends before it begins', later, NOW],
  ])('refuses a window that %s', (_how, validFrom, validUntil) => {
    given({}).when(creating({ validFrom, validUntil })).thenRefused('INVALID_REQUEST');
  });
});

describe('sms-list.update', () => {
  const list = aSmsList({ externalId: 'a', validUntil: later });

  it('names what changed, in the words of the interface', () => {
    given({ smsLists: [list] })
      .when(updating({ name: 'Day shift', externalId: null, validFrom: NOW, validUntil: null }))
      .thenResult({ name: 'Day shift', externalId: null, version: 2 })
      .thenData('sms_list.updated', {
        list: { id: LIST_ID, external_id: null, name: 'Day shift' },
        changed: ['external_id', 'name', 'valid_from', 'valid_until'],
        api_key_id: null,
      });
  });

  it('changes nothing where all is so already', () => {
    given({ smsLists: [list] })
      .when(updating({ name: 'Night shift', validUntil: new Date(later) }))
      .thenNothingHappens();
  });

  it('takes another writing of its own name', () => {
    given({ smsLists: [list] })
      .when(updating({ name: 'NIGHT SHIFT' }))
      .thenEvents('sms_list.updated');
  });

  it('refuses a beginning that the end it has does not follow', () => {
    given({ smsLists: [list] })
      .when(updating({ validFrom: later }))
      .thenRefused('INVALID_REQUEST');
  });

  it('refuses a version that is not the present one', () => {
    given({ smsLists: [list] })
      .when(updating({ name: 'X', ifMatch: [7] }))
      .thenRefused('PRECONDITION_FAILED');
  });

  it('knows no list of another id', () => {
    given({})
      .when(updating({ name: 'X' }))
      .thenRefused('SMS_LIST_NOT_FOUND');
  });
});

describe('sms-list.delete', () => {
  const command = { type: 'sms-list.delete', listId: LIST_ID } as const;

  it('takes the members with it, in one event', () => {
    given({
      smsLists: [aSmsList({ memberCount: 2 })],
      smsMembers: [aSmsMember(0), aSmsMember(1)],
    })
      .when(command)
      .thenEvents('sms_list.deleted')
      .thenTenant({ smsListCount: -1 });
  });

  it('waits for a change of its members that is under way', () => {
    given({ smsLists: [aSmsList({ pendingJob: 'a-job' as JobId })] })
      .when(command)
      .thenRefused('UNAVAILABLE');
  });
});
