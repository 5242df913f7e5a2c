import {
  checkSource,
  collectMemberships,
  type GroupSelection,
  type JsonObject,
  type Memberships,
  type ReadMessage,
  type ReadRequest,
  type RunningConnector,
  selectGroups,
} from '../../src/plugin/api.js';

/** What a directory sends, and how its users become records. */
interface Directory<User extends { readonly id: string }> {
  /** Its name, as operators know it. */
  readonly source: string;
  /** The setting `groups`. */
  readonly selection: GroupSelection | undefined;
  /** Some users, if there are any. */
  readonly someUsers: (signal: AbortSignal) => Promise<readonly User[]>;
  /** Those of these users that exist. */
  readonly usersById: (ids: Iterable<string>, signal: AbortSignal) => AsyncIterable<User>;
  /** The groups that can be selected; each may be listed repeatedly. */
  readonly groups: (
    signal: AbortSignal,
  ) => AsyncIterable<{ readonly id: string; readonly name: string }>;
  /** The ids of all members of a group, and maybe of other things than users. */
  readonly memberIds: (groupId: string, signal: AbortSignal) => AsyncIterable<string>;
  /** The record of a user; undefined if the settings exclude them. */
  readonly recordOf: (user: User, memberships: Memberships | undefined) => JsonObject | undefined;
  /** The users of a full read or a delta. */
  readonly readAll: (read: DirectoryRead<User>) => AsyncGenerator<ReadMessage>;
  /** Throws if the setting `groups` cannot be right. Default: if groups cannot be listed. */
  readonly checkGroups?: (signal: AbortSignal) => Promise<void>;
}

/** A read of users, after that of their memberships. */
export interface DirectoryRead<User> extends ReadRequest {
  /** Changes if a membership changes; empty without groups. */
  readonly groups: string;
  readonly recordsOf: (users: Iterable<User>) => Generator<ReadMessage>;
}

/** Starts the connector of a directory. */
export const startDirectory = <User extends { readonly id: string }>(
  directory: Directory<User>,
): RunningConnector => {
  const { source, selection, recordOf } = directory;

  const checkGroups = async (signal: AbortSignal): Promise<void> => {
    for await (const _ of directory.groups(signal)) break;
  };

  const readMemberships = async (signal: AbortSignal): Promise<Memberships | undefined> => {
    if (!selection) return undefined;
    const groups = new Map<string, { readonly id: string; readonly name: string }>();
    for await (const group of directory.groups(signal)) groups.set(group.id, group);
    const memberships = collectMemberships();
    for (const { id, name } of selectGroups(groups.values(), selection, source))
      for await (const memberId of directory.memberIds(id, signal)) memberships.add(name, memberId);
    return memberships.finish();
  };

  return {
    check: (signal) =>
      checkSource(async () => {
        const users = await directory.someUsers(signal);
        for (const user of users) recordOf(user, undefined);
        if (selection) await (directory.checkGroups ?? checkGroups)(signal);
        return `${source} lists ${users.length > 0 ? 'users' : 'no users'}.`;
      }),
    async *read(request) {
      const memberships = await readMemberships(request.signal);
      function* recordsOf(users: Iterable<User>): Generator<ReadMessage> {
        for (const user of users) {
          const data = recordOf(user, memberships);
          if (data) yield { type: 'record', id: user.id, data };
        }
      }
      if (!request.ids) {
        yield* directory.readAll({ ...request, groups: memberships?.digest ?? '', recordsOf });
        return;
      }
      const missing = new Set(request.ids);
      for await (const user of directory.usersById(request.ids, request.signal))
        for (const record of recordsOf([user])) if (missing.delete(user.id)) yield record;
      const message = `${source} does not know this user, or the settings exclude them.`;
      for (const id of missing) yield { type: 'recordError', id, message };
      yield { type: 'complete', cursor: null };
    },
  };
};
