import type { BulkableCommand, Command } from '../../../src/domain/commands.js';
import type { RefusalCode } from '../../../src/domain/kernel/refusals.js';
import {
  type DirectoryCommand,
  ReferenceDirectory,
  type ReferenceUser,
  summaryOf,
} from './directory.js';
import { membersAfter, type RefGroup, type RefMapping, type RefRoom } from './entities.js';

/** The commands that the reference supports: all that change users, rooms, groups and roles. */
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

export type ModelOutcome =
  | { readonly ok: true; readonly changed: boolean; readonly result: object | null }
  | { readonly ok: false; readonly code: RefusalCode };

export interface ModelEvent {
  readonly name: string;
  readonly data: object;
}

const refused = (code: RefusalCode): ModelOutcome => ({ ok: false, code });
const done = (result: object | null = null, changed = true): ModelOutcome => ({
  ok: true,
  changed,
  result,
});
const isSameName = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

type On<Type extends ModelCommand['type']> = Extract<ModelCommand, { readonly type: Type }>;

/**
 * A simple reference implementation of interface.md and decisions.md 4 and 5 that shares no code
 * with the product. It runs commands one after the other, each completely: there are no batches, no
 * jobs and no stored roles, which are computed from the groups on every read.
 */
export class ReferenceOrganisation {
  readonly directory: ReferenceDirectory;
  readonly events: ModelEvent[] = [];
  readonly rooms = new Map<string, RefRoom>();
  readonly groups = new Map<string, RefGroup>();
  readonly mappings = new Map<string, RefMapping>();
  /** By room or role-only group: the members, and whether they may transmit. */
  readonly members = new Map<string, Map<string, boolean>>();
  #age = 0;

  constructor(
    capacity: number | null,
    public defaultRole = 'member',
    public roomProvisioning: 'manual' | 'automatic' = 'manual',
  ) {
    this.directory = new ReferenceDirectory(capacity);
  }

  run(command: ModelCommand): ModelOutcome {
    switch (command.type) {
      case 'bulk':
        return this.#runBulk(command);
      case 'tenant.update':
        return this.#withRoles(() => this.#changeSettings(command));
      case 'room.create':
        return this.#createRoom(command);
      case 'room.rename':
        return this.#renameRoom(command);
      case 'room.delete':
        return this.#onRoom(command.roomId, (room) => this.#deleteRoom(room));
      case 'room.map':
        return this.#onRoom(command.roomId, (room) => this.#mapRoom(room, command));
      case 'room.unmap':
        return this.#onRoom(command.roomId, (room) => this.#unmapRoom(room));
      case 'member.add':
      case 'member.update':
      case 'member.remove':
        return this.#onRoom(command.roomId, (room) =>
          this.#withRoles(() => this.#changeMember(room, command)),
        );
      case 'member.sync':
        return this.#onRoom(command.roomId, (room) =>
          this.#withRoles(() => this.#syncMembers(room, command)),
        );
      case 'group.create':
        return this.#createGroup(command);
      case 'group.change':
        return this.#changeGroup(command);
      case 'group.delete':
        return this.#deleteGroup(command.groupId);
      case 'role-mapping.create':
      case 'role-mapping.update':
        return this.#withRoles(() => this.#setRoleMapping(command));
      case 'role-mapping.delete':
        return this.#withRoles(() =>
          this.mappings.delete(command.mappingId) ? done() : refused('ROLE_MAPPING_NOT_FOUND'),
        );
      case 'user.delete':
        return this.#deleteUser(command);
      default:
        return this.#changeUser(command);
    }
  }

  // ── Roles ──────────────────────────────────────────────────────────────────────────────────────

  mappingFor(displayName: string): RefMapping | undefined {
    return [...this.mappings.values()].find(({ name }) => isSameName(name, displayName));
  }

  /** The role of a group with this name; null if it has none. */
  roleFor(displayName: string): string | null {
    const mapping = this.mappingFor(displayName);
    return mapping?.applies ? mapping.role : null;
  }

  roleOf(userId: string): string {
    const applicable = [...this.groups.values()]
      .filter((group) => this.#rosterOf(group).has(userId))
      .flatMap(({ displayName }) => this.mappingFor(displayName) ?? [])
      .filter(({ applies }) => applies)
      .sort((one, other) => one.priority - other.priority || one.age - other.age);
    return applicable[0]?.role ?? this.defaultRole;
  }

  /** Runs `act` and emits `user.updated` for each user whose role it changed. */
  #withRoles(act: () => ModelOutcome): ModelOutcome {
    const before = new Map([...this.directory.users.keys()].map((id) => [id, this.roleOf(id)]));
    const outcome = act();
    for (const [id, role] of before) {
      const user = this.directory.users.get(id);
      const now = this.roleOf(id);
      if (!user || now === role) continue;
      const roles = { role: now, previous_role: role };
      this.#emit('user.updated', { user: summaryOf(user), changed: ['role'], ...roles });
    }
    return outcome;
  }

  // ── Users ──────────────────────────────────────────────────────────────────────────────────────

  #changeUser(command: DirectoryCommand): ModelOutcome {
    const outcome = this.directory.run(command);
    for (const { name, ...data } of this.directory.events.splice(0)) this.#emit(name, data);
    if (!outcome.ok) return outcome;
    return done(
      outcome.user && { id: outcome.user.id, profile: outcome.user.profile },
      outcome.changed,
    );
  }

  #deleteUser(command: On<'user.delete'>): ModelOutcome {
    const user = this.directory.users.get(command.userId);
    if (!user) return refused('USER_NOT_FOUND');
    for (const [rosterId, roster] of this.members)
      if (roster.has(user.id)) this.#leave(rosterId, user);
    return this.#changeUser(command);
  }

  // ── Rooms ──────────────────────────────────────────────────────────────────────────────────────

  #onRoom(roomId: string, act: (room: RefRoom) => ModelOutcome): ModelOutcome {
    const room = this.rooms.get(roomId);
    return room ? act(room) : refused('ROOM_NOT_FOUND');
  }

  groupOfRoom(roomId: string): RefGroup | undefined {
    return [...this.groups.values()].find((group) => group.roomId === roomId);
  }

  #roomNamed(name: string): RefRoom | undefined {
    return [...this.rooms.values()].find((room) => isSameName(room.name, name));
  }

  #view({ id, name }: RefRoom): object {
    const group = this.groupOfRoom(id);
    return {
      id,
      name,
      group: group?.id ?? null,
      displayName: group?.displayName ?? null,
      externalId: group?.externalId ?? null,
      role: group ? this.roleFor(group.displayName) : null,
    };
  }

  #createRoom({ roomId, name }: On<'room.create'>): ModelOutcome {
    if (this.#roomNamed(name)) return refused('NAME_TAKEN');
    return done(this.#view(this.#addRoom(roomId, name)));
  }

  #addRoom(id: string, name: string): RefRoom {
    const room = { id, name };
    this.rooms.set(id, room);
    this.members.set(id, new Map());
    return room;
  }

  #renameRoom({ roomId, name }: On<'room.rename'>): ModelOutcome {
    return this.#onRoom(roomId, (room) => {
      const namesake = this.#roomNamed(name);
      if (namesake && namesake !== room) return refused('NAME_TAKEN');
      const changed = room.name !== name;
      room.name = name;
      return done(this.#view(room), changed);
    });
  }

  #deleteRoom(room: RefRoom): ModelOutcome {
    const group = this.groupOfRoom(room.id);
    const deleted = group && this.#asData(group);
    this.#withRoles(() => {
      this.#clear(room.id);
      if (group) this.groups.delete(group.id);
      return done();
    });
    this.rooms.delete(room.id);
    this.members.delete(room.id);
    if (deleted) this.#emit('group.deleted', deleted);
    return done();
  }

  #mapRoom(room: RefRoom, command: On<'room.map'>): ModelOutcome {
    const group = this.groupOfRoom(room.id);
    const displayName = command.displayName ?? group?.displayName ?? room.name;
    const externalId =
      command.externalId === undefined ? (group?.externalId ?? null) : command.externalId;
    if (!group && command.displayName === undefined && command.externalId === null)
      return refused('GROUP_NOT_FOUND');
    if (this.#groupNamed(displayName, group)) return refused('GROUP_EXISTS');
    if (group) {
      return this.#withRoles(() => {
        const changed = this.#setMapping(group, displayName, externalId);
        return done(this.#view(room), changed);
      });
    }
    this.#addGroup({ id: command.groupId, displayName, externalId, roomId: room.id });
    return done(this.#view(room));
  }

  #unmapRoom(room: RefRoom): ModelOutcome {
    const group = this.groupOfRoom(room.id);
    if (!group) return refused('GROUP_NOT_FOUND');
    this.#emit('group.deleted', this.#asData(group));
    return this.#withRoles(() => {
      this.groups.delete(group.id);
      return done();
    });
  }

  // ── Members ────────────────────────────────────────────────────────────────────────────────────

  #rosterOf({ id, roomId }: RefGroup): Map<string, boolean> {
    return this.members.get(roomId ?? id) ?? new Map<string, boolean>();
  }

  #emitMember(
    verb: 'added' | 'removed' | 'updated',
    rosterId: string,
    user: ReferenceUser,
    tx: boolean,
  ) {
    const room = this.rooms.get(rosterId);
    if (!room) {
      const own = this.#asData(this.groups.get(rosterId)!);
      this.#emit(`group.member_${verb}`, { ...own, user: summaryOf(user) });
      return;
    }
    const group = this.groupOfRoom(rosterId);
    this.#emit(`room.member_${verb}`, {
      room: {
        id: room.id,
        name: room.name,
        display_name: group?.displayName ?? null,
        external_id: group?.externalId ?? null,
      },
      user: summaryOf(user),
      tx_permission: tx,
    });
  }

  #join(rosterId: string, user: ReferenceUser, tx: boolean): void {
    this.members.get(rosterId)?.set(user.id, tx);
    this.#emitMember('added', rosterId, user, tx);
  }

  #setPermission(rosterId: string, user: ReferenceUser, tx: boolean): void {
    const roster = this.members.get(rosterId)!;
    if (roster.get(user.id) === tx) return;
    roster.set(user.id, tx);
    this.#emitMember('updated', rosterId, user, tx);
  }

  #leave(rosterId: string, user: ReferenceUser): void {
    const roster = this.members.get(rosterId);
    this.#emitMember('removed', rosterId, user, roster?.get(user.id) ?? false);
    roster?.delete(user.id);
  }

  #clear(rosterId: string): void {
    for (const id of [...(this.members.get(rosterId)?.keys() ?? [])])
      this.#leave(rosterId, this.directory.users.get(id)!);
  }

  #changeMember(
    room: RefRoom,
    command: On<'member.add' | 'member.update' | 'member.remove'>,
  ): ModelOutcome {
    const roster = this.members.get(room.id)!;
    const user = this.directory.users.get(command.userId);
    const before = roster.get(command.userId);
    if (command.type === 'member.add') {
      if (!user) return refused('USER_NOT_FOUND');
      if (before !== undefined) return refused('MEMBER_EXISTS');
      this.#join(room.id, user, command.txPermission);
      return done({ userId: user.id, rosterId: room.id, txPermission: command.txPermission });
    }
    if (!user || before === undefined) return refused('MEMBER_NOT_FOUND');
    if (command.type === 'member.remove') {
      this.#leave(room.id, user);
      return done();
    }
    const { txPermission } = command;
    this.#setPermission(room.id, user, txPermission);
    return done({ userId: user.id, rosterId: room.id, txPermission }, before !== txPermission);
  }

  #syncMembers(room: RefRoom, { members }: On<'member.sync'>): ModelOutcome {
    const ids = members.map(({ userId }) => userId as string);
    const isInvalid = ids.some((id, at) => !this.directory.users.has(id) || ids.indexOf(id) !== at);
    if (isInvalid) return refused('INVALID_REQUEST');
    const roster = this.members.get(room.id)!;
    const counts = { added: 0, updated: 0, removed: 0 };
    for (const { userId, txPermission } of members) {
      const before = roster.get(userId);
      if (before === undefined) {
        counts.added += 1;
        this.#join(room.id, this.directory.users.get(userId)!, txPermission ?? false);
      } else if (txPermission !== undefined && txPermission !== before) {
        counts.updated += 1;
        this.#setPermission(room.id, this.directory.users.get(userId)!, txPermission);
      }
    }
    for (const id of [...roster.keys()])
      if (!ids.includes(id)) {
        counts.removed += 1;
        this.#leave(room.id, this.directory.users.get(id)!);
      }
    return done(counts, counts.added + counts.updated + counts.removed > 0);
  }

  // ── Groups ─────────────────────────────────────────────────────────────────────────────────────

  #groupNamed(displayName: string, except?: RefGroup): RefGroup | undefined {
    return [...this.groups.values()].find(
      (group) => group !== except && isSameName(group.displayName, displayName),
    );
  }

  #asData({ id, displayName, externalId, roomId }: RefGroup): object {
    return {
      group: {
        id,
        display_name: displayName,
        external_id: externalId,
        room_id: roomId,
        role: this.roleFor(displayName),
      },
    };
  }

  #asShown({ id, displayName, externalId, roomId }: RefGroup): object {
    return { id, displayName, externalId, roomId };
  }

  #addGroup(group: RefGroup): void {
    this.#withRoles(() => {
      this.groups.set(group.id, group);
      if (group.roomId === null) this.members.set(group.id, new Map());
      this.#emit('group.created', this.#asData(group));
      return done();
    });
  }

  #createGroup(command: On<'group.create'>): ModelOutcome {
    const { groupId, roomId, displayName, externalId, members } = command;
    if (this.#groupNamed(displayName)) return refused('GROUP_EXISTS');
    const namesake = this.#roomNamed(displayName);
    if (namesake && this.groupOfRoom(namesake.id)) return refused('GROUP_EXISTS');
    const createsRoom = !namesake && this.roleFor(displayName) === null;
    if (createsRoom && this.roomProvisioning === 'manual') return refused('ROOM_NOT_FOUND');
    if (members.some((id) => !this.directory.users.has(id))) return refused('INVALID_REQUEST');
    const room = createsRoom ? this.#addRoom(roomId, displayName) : namesake;
    const group = { id: groupId, displayName, externalId, roomId: room?.id ?? null };
    this.#addGroup(group);
    return this.#withRoles(() => {
      this.#setMembers(group, new Set([...this.#rosterOf(group).keys(), ...members]));
      return done(this.#asShown(group));
    });
  }

  /** Makes exactly these users members; returns whether that changes anything. */
  #setMembers(group: RefGroup, userIds: ReadonlySet<string>): boolean {
    const rosterId = group.roomId ?? group.id;
    const before = this.members.get(rosterId)!;
    const leaving = [...before.keys()].filter((id) => !userIds.has(id));
    const joining = [...userIds].filter((id) => !before.has(id));
    for (const id of joining) this.#join(rosterId, this.directory.users.get(id)!, false);
    for (const id of leaving) this.#leave(rosterId, this.directory.users.get(id)!);
    return leaving.length + joining.length > 0;
  }

  #setMapping(group: RefGroup, displayName: string, externalId: string | null): boolean {
    const changed = [
      ...(group.displayName === displayName ? [] : ['display_name']),
      ...(group.externalId === externalId ? [] : ['external_id']),
    ];
    Object.assign(group, { displayName, externalId });
    if (changed.length > 0) this.#emit('group.updated', { ...this.#asData(group), changed });
    return changed.length > 0;
  }

  #changeGroup(command: On<'group.change'>): ModelOutcome {
    const group = this.groups.get(command.groupId);
    if (!group) return refused('GROUP_NOT_FOUND');
    const { displayName = group.displayName, externalId = group.externalId, steps } = command;
    if (this.#groupNamed(displayName, group)) return refused('GROUP_EXISTS');
    const isRenamed = !isSameName(displayName, group.displayName);
    if (isRenamed && group.roomId === null && this.roleFor(displayName) === null)
      return refused('ROOM_NOT_FOUND');
    const added = steps.flatMap((step) =>
      step.op === 'add' || step.op === 'replace' ? step.userIds : [],
    );
    if (added.some((id) => !this.directory.users.has(id))) return refused('INVALID_REQUEST');
    return this.#withRoles(() => {
      const isChanged = this.#setMapping(group, displayName, externalId);
      const after = membersAfter([...this.#rosterOf(group).keys()], steps);
      const movesMembers = this.#setMembers(group, after);
      return done(this.#asShown(group), isChanged || movesMembers);
    });
  }

  #deleteGroup(groupId: string): ModelOutcome {
    const group = this.groups.get(groupId);
    if (!group) return refused('GROUP_NOT_FOUND');
    const deleted = this.#asData(group);
    this.#withRoles(() => {
      this.#clear(group.roomId ?? group.id);
      this.groups.delete(group.id);
      return done();
    });
    if (group.roomId === null) this.members.delete(group.id);
    this.#emit('group.deleted', deleted);
    return done();
  }

  // ── Role mappings, settings, Bulk ──────────────────────────────────────────────────────────────

  #setRoleMapping(command: On<'role-mapping.create' | 'role-mapping.update'>): ModelOutcome {
    const before = this.mappings.get(command.mappingId);
    if (command.type === 'role-mapping.update' && !before) return refused('ROLE_MAPPING_NOT_FOUND');
    const after: RefMapping = {
      id: command.mappingId,
      name: command.groupDisplayName ?? before?.name ?? '',
      role: command.role ?? before?.role ?? '',
      applies: command.applyOnScimProvisioning ?? before?.applies ?? true,
      priority: command.priority ?? before?.priority ?? 100,
      age: before?.age ?? (this.#age += 1),
    };
    const namesake = this.mappingFor(after.name);
    if (namesake && namesake.id !== after.id) return refused('NAME_TAKEN');
    this.mappings.set(after.id, after);
    const { age: _age, ...result } = after;
    return done(result, JSON.stringify(before) !== JSON.stringify(after));
  }

  #changeSettings({ seatCapacity, defaultRole, roomProvisioning }: On<'tenant.update'>) {
    const before = [this.directory.capacity, this.defaultRole, this.roomProvisioning];
    if (seatCapacity !== undefined) this.directory.capacity = seatCapacity;
    this.defaultRole = defaultRole ?? this.defaultRole;
    this.roomProvisioning = roomProvisioning ?? this.roomProvisioning;
    const after = [this.directory.capacity, this.defaultRole, this.roomProvisioning];
    return done(
      null,
      before.some((setting, at) => setting !== after[at]),
    );
  }

  #runBulk({ operations, failOnErrors }: On<'bulk'>): ModelOutcome {
    const outcomes: (ModelOutcome | null)[] = [];
    let errors = 0;
    for (const operation of operations) {
      const isSkipped = failOnErrors !== null && errors >= failOnErrors;
      outcomes.push(isSkipped ? null : this.#runOperation(operation));
      if (outcomes.at(-1)?.ok === false) errors += 1;
    }
    const changed = outcomes.some((outcome) => outcome?.ok === true && outcome.changed);
    const result = outcomes.map((outcome) => {
      if (!outcome) return null;
      return outcome.ok ? { result: outcome.result } : { code: outcome.code };
    });
    return done(result, changed);
  }

  #runOperation(operation: On<'bulk'>['operations'][number]): ModelOutcome {
    return 'command' in operation
      ? this.run(operation.command satisfies BulkableCommand)
      : refused(operation.refusal.code as RefusalCode);
  }

  #emit(name: string, data: object): void {
    this.events.push({ name, data });
  }
}
