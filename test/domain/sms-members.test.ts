import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/domain/tables.js';
import { isRefused } from '../../src/domain/kernel/decider.js';
import { deciderOf } from '../../src/domain/command-catalogue.js';
import type { Command } from '../../src/domain/commands.js';
import { factsOver } from '../support/array-facts.js';
import { decideSync } from '../support/decide-sync.js';
import { aTenant, envelopeOf, NOW } from '../support/builders.js';
import { given as givenFacts } from '../support/given.js';
import { aSmsList, aSmsMember, smsMemberInput, LIST_ID } from '../support/sms.js';

const later = new Date(NOW.getTime() + 1_000);
const list = aSmsList({ memberCount: 2, nextPlace: 5 });
const known = {
  smsLists: [list],
  smsMembers: [aSmsMember(0, { displayName: 'Ada', validUntil: later }), aSmsMember(1)],
};
const summary = { id: LIST_ID, external_id: null, name: 'Night shift' };

const upserting = (...members: readonly ReturnType<typeof smsMemberInput>[]) =>
  ({ type: 'sms-member.upsert', listId: LIST_ID, members }) as const;
const replacing = (...members: readonly ReturnType<typeof smsMemberInput>[]) =>
  ({ type: 'sms-member.replace', listId: LIST_ID, members }) as const;

const changesBy = (command: Command): readonly Change[] => {
  const verdict = decideSync(
    deciderOf(command.type as 'sms-member.upsert').decide(
      envelopeOf(command as never),
      factsOver({ known, tenant: aTenant() }),
      {} as never,
    ),
  );
  return isRefused(verdict) ? [] : verdict.changes;
};

describe('sms-member.upsert', () => {
  it('adds new numbers and updates existing ones, with one event of counts', () => {
    givenFacts(known)
      .when(
        upserting(
          smsMemberInput(0, { displayName: 'Ada L.' }),
          smsMemberInput(1),
          smsMemberInput(7),
          smsMemberInput(8),
        ),
      )
      .thenResult({ added: 2, updated: 1, removed: 0 })
      .thenEvents('sms_list.members_added')
      .thenAfter('smsLists', { memberCount: 4, nextPlace: 7 })
      .thenData('sms_list.members_added', {
        list: summary,
        added: 2,
        updated: 1,
        api_key_id: null,
      });
  });

  it('returns the result of each member on request, also for a replacement', () => {
    const members = [
      smsMemberInput(7),
      smsMemberInput(1),
      smsMemberInput(0, { displayName: 'Ada L.' }),
    ] as const;
    for (const command of [upserting(...members), replacing(...members)])
      givenFacts(known)
        .when({ ...command, wantsResults: true })
        .thenResult({ results: ['added', 'unchanged', 'updated'] });
  });

  it('skips members with an invalid window if the command says so', () => {
    givenFacts(known)
      .when({
        ...upserting(smsMemberInput(7), smsMemberInput(0, { validFrom: later })),
        ...{ wantsResults: true, skipsInvalid: true },
      })
      .thenResult({ added: 1, updated: 0, results: ['added', 'invalid'] });
  });

  it('finds the numbers of a long list among its members', () => {
    const many = Array.from({ length: 1_001 }, (_, at) => smsMemberInput(at));
    givenFacts(known)
      .when(upserting(...many))
      .thenResult({ added: 999, updated: 0 });
  });

  it('keeps omitted fields of an existing number and clears null ones', () => {
    const [change] = changesBy(upserting(smsMemberInput(0, { displayName: null })));
    expect(change?.after).toMatchObject({ displayName: null, validUntil: later });
  });

  it('keeps id, number and place of an existing number', () => {
    const [change] = changesBy(upserting(smsMemberInput(0, { displayName: 'Ada L.' })));
    const [before] = known.smsMembers;
    expect(change?.after).toEqual({ ...before, displayName: 'Ada L.' });
  });

  it('assigns the next places to new numbers, in the order of the request', () => {
    const added = changesBy(
      upserting(smsMemberInput(7), smsMemberInput(0), smsMemberInput(8)),
    ).flatMap((change) =>
      change.table === 'smsMembers' && !change.before ? [change.after?.place] : [],
    );
    expect(added).toEqual([5, 6]);
  });

  it('changes nothing if the members already match', () => {
    givenFacts(known)
      .when(upserting(smsMemberInput(0), smsMemberInput(1, { displayName: null })))
      .thenResult({ added: 0, updated: 0 })
      .thenNothingHappens();
  });

  it('is refused as a whole for a start that is not before the current end', () => {
    givenFacts(known)
      .when(upserting(smsMemberInput(7), smsMemberInput(0, { validFrom: later })))
      .thenRefused('INVALID_REQUEST');
  });

  it('refuses an unknown list', () => {
    givenFacts({})
      .when(upserting(smsMemberInput(0)))
      .thenRefused('SMS_LIST_NOT_FOUND');
  });
});

describe('sms-member.replace', () => {
  it('adds, updates and removes, with two events', () => {
    givenFacts(known)
      .when(replacing(smsMemberInput(0), smsMemberInput(7)))
      .thenResult({ added: 1, updated: 1, removed: 1 })
      .thenEvents('sms_list.members_added', 'sms_list.members_removed')
      .thenData('sms_list.members_removed', { list: summary, removed: 1, api_key_id: null });
  });

  it('clears omitted fields', () => {
    const [, change] = changesBy(
      replacing(smsMemberInput(0), smsMemberInput(1), smsMemberInput(7)),
    );
    expect(change).toMatchObject({
      before: { displayName: 'Ada' },
      after: { displayName: null, validUntil: null },
    });
  });

  it('emits only a removal event if nothing is added or updated', () => {
    givenFacts(known)
      .when(replacing(smsMemberInput(1)))
      .thenResult({ added: 0, updated: 0, removed: 1 })
      .thenEvents('sms_list.members_removed');
  });

  it('emits no event before the job is done', () => {
    givenFacts({ ...known, limits: { membersAtOnce: 1, changesAtOnce: 100, stepSize: 1 } })
      .when(replacing(smsMemberInput(0), smsMemberInput(7)))
      .thenResult({ added: 1, updated: 1, removed: 1 })
      .thenEvents()
      .thenAfter('jobs', {
        work: {
          kind: 'sms-list.apply',
          listId: LIST_ID,
          report: { added: 1, updated: 1, removed: 1, apiKeyId: null },
        },
      });
  });

  it('empties the list', () => {
    givenFacts(known).when(replacing()).thenResult({ added: 0, updated: 0, removed: 2 });
  });
});

describe('removals of SMS members', () => {
  it('remove one member by id', () => {
    const [member] = known.smsMembers;
    givenFacts(known)
      .when({ type: 'sms-member.remove', listId: LIST_ID, memberId: member!.id })
      .thenData('sms_list.members_removed', { list: summary, removed: 1, api_key_id: null });
  });

  it('refuse a member of another list', () => {
    const other = aSmsMember(3, { listId: 'another' as typeof LIST_ID });
    givenFacts({ ...known, smsMembers: [other] })
      .when({ type: 'sms-member.remove', listId: LIST_ID, memberId: other.id })
      .thenRefused('MEMBER_NOT_FOUND');
  });

  it('by number count only existing members, each once', () => {
    givenFacts(known)
      .when({
        type: 'sms-member.remove-by-number',
        listId: LIST_ID,
        keys: ['key-0', 'key-0', 'key-99'],
      })
      .thenResult({ removed: 1 })
      .thenEvents('sms_list.members_removed');
  });

  it('sweep only members whose window has ended', () => {
    givenFacts(known)
      .when({ type: 'sms-member.sweep', listId: LIST_ID, endedBy: later })
      .thenResult({ removed: 1 });
    givenFacts(known)
      .when({ type: 'sms-member.sweep', listId: LIST_ID, endedBy: NOW })
      .thenNothingHappens();
  });
});
