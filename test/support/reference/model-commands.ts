import fc from 'fast-check';
import type { BulkableCommand, MemberStep, PatchOperation } from '../../../src/domain/commands.js';
import type { CommandId, GroupId, RoleMappingId, RoomId, UserId } from '../../../src/domain/ids.js';
import { refuse } from '../../../src/domain/refusals.js';
import type { UserProfile } from '../../../src/domain/user.js';
import type { ModelCommand } from './organisation.js';

/**
 * The ids that a sequence of commands has used so far. A picked id may not exist: its creation may
 * have been refused, or it may be deleted.
 */
export class Cast {
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

export type Make<Wanted extends ModelCommand = ModelCommand> = (cast: Cast) => Wanted;

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
const spoken = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

const profile: fc.Arbitrary<UserProfile> = fc.record(
  {
    userName: fc.constantFrom(...USER_NAMES),
    active: fc.boolean(),
    displayName: fc.constantFrom('Ann', 'Bob'),
  },
  { requiredKeys: ['userName', 'active'] },
);

const operation: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.boolean().map((value) => ({ op: 'replace' as const, path: 'active', value })),
  fc
    .constantFrom('Ann', 'Zoe')
    .map((value) => ({ op: 'add' as const, path: 'displayName', value })),
  fc.constant({ op: 'remove' as const, path: 'displayName' }),
);

const step: fc.Arbitrary<(cast: Cast) => MemberStep> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(() => ({ op: 'removeAll' as const })) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom('add' as const, 'add' as const, 'remove' as const, 'replace' as const),
        several,
      )
      .map(([op, picks]) => (cast: Cast) => ({ op, userIds: picks.map(cast.user) })),
  },
);

type Bulkable = Make<BulkableCommand>;

const createUser: fc.Arbitrary<Bulkable> = profile.map((given) => (cast) => ({
  type: 'user.create',
  userId: cast.newUser(),
  profile: given,
}));
const replaceUser: fc.Arbitrary<Bulkable> = fc
  .tuple(at, profile)
  .map(([pick, given]) => (cast) => ({
    type: 'user.replace',
    userId: cast.user(pick),
    profile: given,
  }));
const patchUser: fc.Arbitrary<Bulkable> = fc
  .tuple(at, fc.array(operation, { minLength: 1, maxLength: 2 }))
  .map(([pick, operations]) => (cast) => ({
    type: 'user.patch',
    userId: cast.user(pick),
    operations,
  }));
const deleteUser: fc.Arbitrary<Bulkable> = at.map((pick) => (cast) => ({
  type: 'user.delete',
  userId: cast.user(pick),
}));
const createGroup: fc.Arbitrary<Bulkable> = fc
  .tuple(groupName, externalId, several)
  .map(([displayName, external, members]) => (cast) => ({
    type: 'group.create',
    groupId: cast.newGroup(),
    roomId: cast.newRoom(),
    displayName,
    externalId: external,
    members: members.map(cast.user),
  }));
const changeGroup: fc.Arbitrary<Bulkable> = fc
  .tuple(
    at,
    maybe(groupName),
    fc.option(externalId, { nil: undefined, freq: 2 }),
    fc.array(step, { maxLength: 3 }),
  )
  .map(([pick, displayName, external, steps]) => (cast) => ({
    type: 'group.change',
    groupId: cast.group(pick),
    steps: steps.map((make) => make(cast)),
    ...spoken({ displayName, externalId: external }),
  }));
const deleteGroup: fc.Arbitrary<Bulkable> = at.map((pick) => (cast) => ({
  type: 'group.delete',
  groupId: cast.group(pick),
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

const bulk: fc.Arbitrary<Make> = fc
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
  .map(([makes, failOnErrors]) => (cast) => ({
    type: 'bulk',
    operations: makes.map((make) =>
      typeof make === 'function' ? { id: cast.newCommand(), command: make(cast) } : make,
    ),
    failOnErrors,
  }));

const native: fc.Arbitrary<Make> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(at, maybe(fc.constantFrom('Ann', 'Zoe')), maybe(fc.boolean()))
      .map(([pick, displayName, active]) => (cast: Cast) => ({
        type: 'user.update' as const,
        userId: cast.user(pick),
        ...spoken({ displayName, active }),
      })),
  },
  {
    weight: 1,
    arbitrary: at.map((pick) => (cast: Cast) => ({
      type: 'user.deactivate' as const,
      userId: cast.user(pick),
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(at, maybe(groupName), fc.option(externalId, { nil: undefined, freq: 2 }))
      .map(([pick, displayName, external]) => (cast: Cast) => ({
        type: 'room.map' as const,
        roomId: cast.room(pick),
        groupId: cast.newGroup(),
        ...spoken({ displayName, externalId: external }),
      })),
  },
  {
    weight: 1,
    arbitrary: at.map((pick) => (cast: Cast) => ({
      type: 'room.unmap' as const,
      roomId: cast.room(pick),
    })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('member.add' as const, 'member.update' as const), at, at, fc.boolean())
      .map(([type, room, user, txPermission]) => (cast: Cast) => ({
        type,
        roomId: cast.room(room),
        userId: cast.user(user),
        txPermission,
      })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(at, at).map(([room, user]) => (cast: Cast) => ({
      type: 'member.remove' as const,
      roomId: cast.room(room),
      userId: cast.user(user),
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
      .map(([room, members]) => (cast: Cast) => ({
        type: 'member.sync' as const,
        roomId: cast.room(room),
        members: members.map(([user, txPermission]) => ({
          userId: cast.user(user),
          ...spoken({ txPermission }),
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

const operators: fc.Arbitrary<Make> = fc.oneof(
  {
    weight: 2,
    arbitrary: groupName.map((name) => (cast: Cast) => ({
      type: 'room.create' as const,
      roomId: cast.newRoom(),
      name,
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(at, groupName).map(([pick, name]) => (cast: Cast) => ({
      type: 'room.rename' as const,
      roomId: cast.room(pick),
      name,
    })),
  },
  {
    weight: 1,
    arbitrary: at.map((pick) => (cast: Cast) => ({
      type: 'room.delete' as const,
      roomId: cast.room(pick),
    })),
  },
  {
    weight: 3,
    arbitrary: fc.record(mapping).map((given) => (cast: Cast) => ({
      type: 'role-mapping.create' as const,
      mappingId: cast.newMapping(),
      ...given,
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(at, fc.record(mapping, { requiredKeys: [] }))
      .map(([pick, given]) => (cast: Cast) => ({
        type: 'role-mapping.update' as const,
        mappingId: cast.mapping(pick),
        ...given,
      })),
  },
  {
    weight: 2,
    arbitrary: at.map((pick) => (cast: Cast) => ({
      type: 'role-mapping.delete' as const,
      mappingId: cast.mapping(pick),
    })),
  },
);

const settings: fc.Arbitrary<Make> = fc
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
export const anyCommand: fc.Arbitrary<Make> = fc.oneof(
  { weight: 12, arbitrary: anyOperation },
  { weight: 2, arbitrary: bulk },
  { weight: 12, arbitrary: native },
  { weight: 6, arbitrary: operators },
  { weight: 1, arbitrary: settings },
);

/** The initial state: users, rooms, a role mapping, and a group of each kind. */
export const opening = (cast: Cast): readonly ModelCommand[] => [
  ...['eve', 'fay', 'gus', 'hal', 'ida', 'jon'].map((userName) => ({
    type: 'user.create' as const,
    userId: cast.newUser(),
    profile: { userName, active: true },
  })),
  ...['North', 'South'].map((name) => ({
    type: 'room.create' as const,
    roomId: cast.newRoom(),
    name,
  })),
  {
    type: 'role-mapping.create',
    mappingId: cast.newMapping(),
    groupDisplayName: 'Crew',
    role: 'crew',
    applyOnScimProvisioning: true,
    priority: 1,
  },
  ...['North', 'Crew'].map((displayName, number) => ({
    type: 'group.create' as const,
    groupId: cast.newGroup(),
    roomId: cast.newRoom(),
    displayName,
    externalId: null,
    members: [number, number + 1].map(cast.user),
  })),
];
