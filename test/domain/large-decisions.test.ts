import { describe, expect, it } from 'vitest';
import type { Command, RunBulk } from '../../src/domain/commands.js';
import type { Facts, Rules, Decision } from '../../src/domain/kernel/decider.js';
import { deciderOf } from '../../src/domain/command-catalogue.js';
import { runSync, asChunked } from '../../src/domain/kernel/chunked.js';
import type { Lookup } from '../../src/domain/tables.js';
import type { Loaded } from '../../src/pipeline/commit-store.js';
import { MissingLookups, Workspace } from '../../src/pipeline/workspace.js';
import {
  aGroup,
  aMember,
  aRoom,
  aTenant,
  aUser,
  envelopeOf,
  GROUP_ID,
  NOW,
  ROOM_ID,
} from '../support/builders.js';
import { aSmsList, aSmsMember, smsMemberInput as aGivenNumber, LIST_ID } from '../support/sms.js';

const MANY = 2_000;
/** A few reads for each of 128 members, and the ends of adjacent loops. */
const MAX_READS = 600;
const RULES: Rules = { pluginRule: () => undefined };

const numbersTo = (length: number) => Array.from({ length }, (_, at) => at + 1);
const userIds = numbersTo(MANY).map((number) => aUser(number).id);
const members = numbersTo(2 * MANY).map((number) => aMember(number));
const users = numbersTo(2 * MANY).map((number) => aUser(number));

type Entities = Loaded['entities'];

/** The facts, with a count of reads. */
const watched = (facts: Facts) => {
  let reads = 0;
  const counted = <Result>(result: Result): Result => {
    reads += 1;
    return result;
  };
  const seen: Facts = {
    seq: 0,
    now: facts.now,
    tenant: facts.tenant,
    limits: facts.limits,
    changeCount: facts.changeCount,
    find: (table, index, key) => counted(facts.find(table, index, key)),
    list: (table, index, key) => counted(facts.list(table, index, key)),
    isLoaded: (need) => counted(facts.isLoaded(need)),
    require: facts.require.bind(facts),
    after: facts.after.bind(facts),
  };
  return { facts: seen, reads: () => reads };
};

/** Decides once: the decision, the number of chunks, and the reads of the longest one. */
const decideOnce = (command: Exclude<Command, RunBulk>, known: Facts) => {
  const { facts, reads } = watched(known);
  const { decide } = deciderOf(command.type);
  const work = asChunked(decide(envelopeOf(command as never) as never, facts, RULES));
  let [chunks, longest, before] = [1, 0, 0];
  for (;;) {
    const chunk = work.next();
    longest = Math.max(longest, reads() - before);
    before = reads();
    if (chunk.done) return { verdict: chunk.value as Decision<unknown>, chunks, longest };
    chunks += 1;
  }
};

const decideOver = (entities: Entities, command: Exclude<Command, RunBulk>) => {
  const loaded = {
    tenant: aTenant({ roomProvisioning: 'automatic' }),
    version: { v: 1, seq: 0, nextOrdinal: 0 },
    now: NOW,
    entities,
  };
  const needs: Lookup[] = [];
  for (;;) {
    try {
      return decideOnce(command, runSync(Workspace.over(loaded, needs)));
    } catch (error) {
      if (!(error instanceof MissingLookups)) throw error;
      needs.push(...error.lookups);
    }
  }
};

const room = aRoom({ memberCount: 2 * MANY });
const group = aGroup({ memberCount: 2 * MANY });

describe('a decision about thousands of members', () => {
  it.each<[string, Entities, Exclude<Command, RunBulk>, number]>([
    [
      'a PUT of a group',
      { rooms: [room], groups: [group], memberships: members, userIds: users },
      { type: 'group.change', groupId: GROUP_ID, steps: [{ op: 'replace', userIds }] },
      10 * MANY,
    ],
    [
      'a POST of a group',
      { userIds: users },
      {
        type: 'group.create',
        groupId: GROUP_ID,
        roomId: ROOM_ID,
        displayName: 'Everybody',
        externalId: null,
        members: userIds,
      },
      5 * MANY,
    ],
    [
      'a sync of a room',
      { rooms: [room], groups: [group], memberships: members, userIds: users },
      {
        type: 'member.sync',
        roomId: ROOM_ID,
        members: userIds.map((userId) => ({ userId })),
      },
      8 * MANY,
    ],
    [
      'a PUT of an SMS list',
      {
        smsLists: [aSmsList({ memberCount: MANY, nextPlace: MANY })],
        smsMembers: numbersTo(MANY).map((place) => aSmsMember(place)),
      },
      {
        type: 'sms-member.replace',
        listId: LIST_ID,
        members: numbersTo(MANY).map((number) => aGivenNumber(number + MANY / 2)),
      },
      3 * MANY,
    ],
  ])('yields regularly: %s', (_name, known, command, visited) => {
    const { verdict, chunks, longest } = decideOver(known, command);
    expect(verdict).toMatchObject({ changes: expect.anything() as unknown });
    expect(longest).toBeLessThanOrEqual(MAX_READS);
    expect(chunks).toBeGreaterThanOrEqual(Math.floor(visited / 150));
  });
});

describe('a workspace of thousands of entities', () => {
  it('is filled in chunks', () => {
    const needs = userIds.map((key) => ({ table: 'userIds', index: 'id', key }) as const);
    const loaded = {
      tenant: aTenant(),
      version: { v: 1, seq: 0, nextOrdinal: 0 },
      now: NOW,
      entities: { userIds: users },
    };
    const chunks = [...Workspace.over(loaded, needs)].length;
    expect(chunks).toBeGreaterThanOrEqual(Math.floor((needs.length + users.length) / 150));
    const more = runSync(Workspace.over(loaded, [])).with(loaded, needs);
    expect([...more].length).toBe(chunks);
  });
});
