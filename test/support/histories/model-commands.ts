import fc from 'fast-check';
import type { BulkableCommand, Command, MemberStep } from '../../../src/domain/commands.js';
import type {
  CommandId,
  GroupId,
  RoleMappingId,
  RoomId,
  UserId,
} from '../../../src/domain/kernel/ids.js';
import { refuse } from '../../../src/domain/kernel/refusals.js';
import type { ProfileChange } from '../../../src/domain/user/profile-changes.js';
import type { UserProfile } from '../../../src/domain/user/user.js';

/** The commands of the histories: all that change users, rooms, groups and roles. */
export type ModelCommand = Exclude<
  Command,
  {
    readonly type:
      | `api-key.${string}`
      | `sms-${string}`
      | 'plugin.change'
      | 'job.step'
      | 'tenant.create'
      | 'tenant.delete';
  }
>;

/**
 * The ids that a sequence of commands has used so far. A picked id may not exist: its creation may
 * have been refused, or it may be deleted.
 */
export class KnownIds {
  readonly #users: UserId[] = [];
  readonly #rooms: RoomId[] = [];
  readonly #groups: GroupId[] = [];
  readonly #mappings: RoleMappingId[] = [];

  constructor(private readonly newId: () => string) {}

  readonly user = (at: number): UserId => this.#pick(this.#users, at);
  readonly room = (at: number): RoomId => this.#pick(this.#rooms, at);
  readonly group = (at: number): GroupId => this.#pick(this.#groups, at);
  readonly mapping = (at: number): RoleMappingId => this.#pick(this.#mappings, at);
  readonly newUser = (): UserId => this.#make(this.#users);
  readonly newRoom = (): RoomId => this.#make(this.#rooms);
  readonly newGroup = (): GroupId => this.#make(this.#groups);
  readonly newMapping = (): RoleMappingId => this.#make(this.#mappings);
  readonly newCommand = (): CommandId => this.newId() as CommandId;

  #pick<Id extends string>(ids: readonly Id[], at: number): Id {
    return ids[at % Math.max(1, ids.length)] ?? (this.newId() as Id);
  }

  #make<Id extends string>(ids: Id[]): Id {
    const id = this.newId() as Id;
    ids.push(id);
    return id;
  }
}

export type CommandFactory<Wanted extends ModelCommand = ModelCommand> = (
  known: KnownIds,
) => Wanted;

/** Few, so that commands conflict; some differ only in case. */
const GROUP_NAMES = ['North', 'NORTH', 'South', 'Crew', 'crew', 'West'];
const USER_NAMES = ['ann@example.com', 'Bob@example.com', 'BOB@example.com', 'cy', 'Cy', 'di'];
const ROLES = ['captain', 'crew', 'member'];

const at = fc.nat(9);
const groupName = fc.constantFrom(...GROUP_NAMES);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const externalId = fc.constantFrom(null, 'x1', 'x2');
const several = fc.array(at, { maxLength: 6 });

/** Removes undefined fields, which commands must not have. */
const withoutUndefined = <T extends object>(
  fields: T,
): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const profile: fc.Arbitrary<UserProfile> = fc.record(
  {
    userName: fc.constantFrom(...USER_NAMES),
    active: fc.boolean(),
    displayName: fc.constantFrom('Ann', 'Bob'),
  },
  { requiredKeys: ['userName', 'active'] },
);

const change: fc.Arbitrary<ProfileChange> = fc.oneof(
  fc.boolean().map((value) => ({ op: 'replace' as const, path: ['active'], value })),
  fc
    .constantFrom('Ann', 'Zoe')
    .map((value) => ({ op: 'add' as const, path: ['displayName'], value })),
  fc.constant({ op: 'remove' as const, path: ['displayName'], value: null }),
);

const step: fc.Arbitrary<(known: KnownIds) => MemberStep> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(() => ({ op: 'removeAll' as const })) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom('add' as const, 'add' as const, 'remove' as const, 'replace' as const),
        several,
      )
      .map(([op, picks]) => (known: KnownIds) => ({ op, userIds: picks.map(known.user) })),
  },
);

type Bulkable = CommandFactory<BulkableCommand>;

const createUser: fc.Arbitrary<Bulkable> = profile.map((given) => (known) => ({
  type: 'user.create',
  userId: known.newUser(),
  profile: given,
}));
const replaceUser: fc.Arbitrary<Bulkable> = fc
  .tuple(at, profile)
  .map(([pick, given]) => (known) => ({
    type: 'user.replace',
    userId: known.user(pick),
    profile: given,
  }));
const patchUser: fc.Arbitrary<Bulkable> = fc
  .tuple(at, fc.array(change, { minLength: 1, maxLength: 2 }))
  .map(([pick, changes]) => (known) => ({
    type: 'user.patch',
    userId: known.user(pick),
    changes,
  }));
const deleteUser: fc.Arbitrary<Bulkable> = at.map((pick) => (known) => ({
  type: 'user.delete',
  userId: known.user(pick),
}));
const createGroup: fc.Arbitrary<Bulkable> = fc
  .tuple(groupName, externalId, several)
  .map(([displayName, external, members]) => (known) => ({
    type: 'group.create',
    groupId: known.newGroup(),
    roomId: known.newRoom(),
    displayName,
    externalId: external,
    members: members.map(known.user),
  }));
const changeGroup: fc.Arbitrary<Bulkable> = fc
  .tuple(
    at,
    maybe(groupName),
    fc.option(externalId, { nil: undefined, freq: 2 }),
    fc.array(step, { maxLength: 3 }),
  )
  .map(([pick, displayName, external, steps]) => (known) => ({
    type: 'group.change',
    groupId: known.group(pick),
    steps: steps.map((make) => make(known)),
    ...withoutUndefined({ displayName, externalId: external }),
  }));
const deleteGroup: fc.Arbitrary<Bulkable> = at.map((pick) => (known) => ({
  type: 'group.delete',
  groupId: known.group(pick),
}));

/** The operations that a Bulk may contain. */
export const anyOperation: fc.Arbitrary<Bulkable> = fc.oneof(
  { weight: 2, arbitrary: createUser },
  { weight: 1, arbitrary: replaceUser },
  { weight: 1, arbitrary: patchUser },
  { weight: 1, arbitrary: deleteUser },
  { weight: 3, arbitrary: createGroup },
  { weight: 6, arbitrary: changeGroup },
  { weight: 2, arbitrary: deleteGroup },
);

const unreadable = fc.constant({ refusal: refuse('INVALID_REQUEST', 'Invalid operation.') });

const bulk: fc.Arbitrary<CommandFactory> = fc
  .tuple(
    fc.array(
      fc.oneof({ weight: 9, arbitrary: anyOperation }, { weight: 1, arbitrary: unreadable }),
      {
        minLength: 1,
        maxLength: 5,
      },
    ),
    fc.option(fc.integer({ min: 1, max: 3 })),
  )
  .map(([makes, failOnErrors]) => (known) => ({
    type: 'bulk',
    operations: makes.map((make) =>
      typeof make === 'function' ? { id: known.newCommand(), command: make(known) } : make,
    ),
    failOnErrors,
  }));

const native: fc.Arbitrary<CommandFactory> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(at, maybe(fc.constantFrom('Ann', 'Zoe')), maybe(fc.boolean()))
      .map(([pick, displayName, active]) => (known: KnownIds) => ({
        type: 'user.update' as const,
        userId: known.user(pick),
        ...withoutUndefined({ displayName, active }),
      })),
  },
  {
    weight: 1,
    arbitrary: at.map((pick) => (known: KnownIds) => ({
      type: 'user.deactivate' as const,
      userId: known.user(pick),
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(at, maybe(groupName), fc.option(externalId, { nil: undefined, freq: 2 }))
      .map(([pick, displayName, external]) => (known: KnownIds) => ({
        type: 'room.map' as const,
        roomId: known.room(pick),
        groupId: known.newGroup(),
        ...withoutUndefined({ displayName, externalId: external }),
      })),
  },
  {
    weight: 1,
    arbitrary: at.map((pick) => (known: KnownIds) => ({
      type: 'room.unmap' as const,
      roomId: known.room(pick),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('member.add' as const, 'member.update' as const), at, at, fc.boolean())
      .map(([type, room, user, txPermission]) => (known: KnownIds) => ({
        type,
        roomId: known.room(room),
        userId: known.user(user),
        txPermission,
      })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(at, at).map(([room, user]) => (known: KnownIds) => ({
      type: 'member.remove' as const,
      roomId: known.room(room),
      userId: known.user(user),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        at,
        fc.uniqueArray(fc.tuple(fc.nat(5), maybe(fc.boolean())), {
          selector: ([user]) => user,
          maxLength: 6,
        }),
      )
      .map(([room, members]) => (known: KnownIds) => ({
        type: 'member.sync' as const,
        roomId: known.room(room),
        members: members.map(([user, txPermission]) => ({
          userId: known.user(user),
          ...withoutUndefined({ txPermission }),
        })),
      })),
  },
);

const mapping = {
  groupDisplayName: groupName,
  role: fc.constantFrom(...ROLES),
  applyOnScimProvisioning: fc.boolean(),
  priority: fc.constantFrom(1, 1, 2),
};

const operators: fc.Arbitrary<CommandFactory> = fc.oneof(
  {
    weight: 2,
    arbitrary: groupName.map((name) => (known: KnownIds) => ({
      type: 'room.create' as const,
      roomId: known.newRoom(),
      name,
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(at, groupName).map(([pick, name]) => (known: KnownIds) => ({
      type: 'room.rename' as const,
      roomId: known.room(pick),
      name,
    })),
  },
  {
    weight: 1,
    arbitrary: at.map((pick) => (known: KnownIds) => ({
      type: 'room.delete' as const,
      roomId: known.room(pick),
    })),
  },
  {
    weight: 3,
    arbitrary: fc.record(mapping).map((given) => (known: KnownIds) => ({
      type: 'role-mapping.create' as const,
      mappingId: known.newMapping(),
      ...given,
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(at, fc.record(mapping, { requiredKeys: [] }))
      .map(([pick, given]) => (known: KnownIds) => ({
        type: 'role-mapping.update' as const,
        mappingId: known.mapping(pick),
        ...given,
      })),
  },
  {
    weight: 2,
    arbitrary: at.map((pick) => (known: KnownIds) => ({
      type: 'role-mapping.delete' as const,
      mappingId: known.mapping(pick),
    })),
  },
);

const settings: fc.Arbitrary<CommandFactory> = fc
  .record(
    {
      seatCapacity: fc.option(fc.integer({ min: 2, max: 6 })),
      defaultRole: fc.constantFrom('member', 'guest'),
      roomProvisioning: fc.constantFrom('manual' as const, 'automatic' as const),
    },
    { requiredKeys: [] },
  )
  .map((given) => () => ({ type: 'tenant.update' as const, ...given }));

/** Any command, on entities that the sequence has used so far. */
export const anyCommand: fc.Arbitrary<CommandFactory> = fc.oneof(
  { weight: 12, arbitrary: anyOperation },
  { weight: 2, arbitrary: bulk },
  { weight: 12, arbitrary: native },
  { weight: 6, arbitrary: operators },
  { weight: 1, arbitrary: settings },
);

/** The initial state: users, rooms, a role mapping, and a group of each kind. */
export const initialCommands = (known: KnownIds): readonly ModelCommand[] => [
  ...['eve', 'fay', 'gus', 'hal', 'ida', 'jon'].map((userName) => ({
    type: 'user.create' as const,
    userId: known.newUser(),
    profile: { userName, active: true },
  })),
  ...['North', 'South'].map((name) => ({
    type: 'room.create' as const,
    roomId: known.newRoom(),
    name,
  })),
  {
    type: 'role-mapping.create',
    mappingId: known.newMapping(),
    groupDisplayName: 'Crew',
    role: 'crew',
    applyOnScimProvisioning: true,
    priority: 1,
  },
  ...['North', 'Crew'].map((displayName, number) => ({
    type: 'group.create' as const,
    groupId: known.newGroup(),
    roomId: known.newRoom(),
    displayName,
    externalId: null,
    members: [number, number + 1].map(known.user),
  })),
];
