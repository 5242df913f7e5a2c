import type { Command } from '../../../src/domain/commands.js';
import type { ProfileChange } from '../../../src/domain/user/profile-changes.js';
import type { IfMatch, RefusalCode } from '../../../src/domain/kernel/refusals.js';
import type { UserProfile } from '../../../src/domain/user/user.js';

/** The commands that the reference supports. */
export type DirectoryCommand = Extract<
  Command,
  { readonly type: `user.${string}` | 'tenant.update' }
>;

const meetsPrecondition = (version: number, ifMatch: IfMatch | undefined): boolean => {
  if (ifMatch === undefined || ifMatch === '*') return true;
  return 'noneOf' in ifMatch ? !ifMatch.noneOf.includes(version) : ifMatch.includes(version);
};

type CommandOnUser = Exclude<DirectoryCommand, { readonly type: 'user.create' | 'tenant.update' }>;

/** The state of a user that the interfaces and events show. */
export interface ReferenceUser {
  readonly id: string;
  readonly version: number;
  readonly profile: UserProfile;
}

export interface ReferenceEvent {
  readonly name: string;
  readonly user: object;
  readonly changed?: readonly string[];
}

export type ReferenceOutcome =
  | { readonly ok: true; readonly changed: boolean; readonly user: ReferenceUser | null }
  | { readonly ok: false; readonly code: RefusalCode };

const DONE = { ok: true, changed: false, user: null } as const;
const refused = (code: RefusalCode): ReferenceOutcome => ({ ok: false, code });

/** The user's e-mail address (decisions.md 4). */
export const emailOf = ({ emails, userName }: UserProfile): string | null =>
  emails?.find(({ primary }) => primary)?.value ??
  emails?.[0]?.value ??
  (userName.includes('@') ? userName : null);

export const summaryOf = ({ id, profile }: ReferenceUser) => ({
  id,
  email: emailOf(profile),
  display_name: profile.displayName ?? profile.userName,
  active: profile.active,
});

/**
 * A simple reference implementation of a tenant's users: runs commands one after the other over a
 * Map and shares no code with the product. The pipeline must produce the same results.
 */
export class ReferenceDirectory {
  readonly users = new Map<string, ReferenceUser>();
  readonly events: ReferenceEvent[] = [];

  constructor(public capacity: number | null) {}

  get seats(): number {
    return [...this.users.values()].filter(({ profile }) => profile.active).length;
  }

  run(command: DirectoryCommand): ReferenceOutcome {
    switch (command.type) {
      case 'tenant.update':
        return this.#setCapacity(command.seatCapacity ?? null);
      case 'user.create':
        return this.#create(command.userId, command.profile);
      case 'user.delete':
        return this.#onUser(command, (user) => this.#delete(user));
      case 'user.replace':
        return this.#onUser(command, (user) => this.#change(user, command.profile));
      case 'user.deactivate':
        return this.#onUser(command, (user) =>
          this.#change(user, { ...user.profile, active: false }),
        );
      case 'user.update':
        return this.#onUser(command, (user) => {
          const { displayName = user.profile.displayName, active = user.profile.active } = command;
          return this.#change(user, { ...user.profile, ...withDisplayName(displayName), active });
        });
      case 'user.patch':
        return this.#onUser(command, (user) =>
          this.#change(user, command.changes.reduce(applyOne, user.profile)),
        );
    }
  }

  #setCapacity(capacity: number | null): ReferenceOutcome {
    const changed = capacity !== this.capacity;
    this.capacity = capacity;
    return { ...DONE, changed };
  }

  #create(id: string, profile: UserProfile): ReferenceOutcome {
    const user = { id, version: 1, profile };
    const code = this.#taken(user) ?? (profile.active ? this.#full() : undefined);
    if (code) return refused(code);
    this.users.set(id, user);
    this.events.push({ name: 'user.created', user: summaryOf(user) });
    return { ok: true, changed: true, user };
  }

  #onUser(
    { userId, ifMatch }: CommandOnUser,
    act: (user: ReferenceUser) => ReferenceOutcome,
  ): ReferenceOutcome {
    const user = this.users.get(userId);
    if (!user) return refused('USER_NOT_FOUND');
    const isMet = meetsPrecondition(user.version, ifMatch);
    return isMet ? act(user) : refused('PRECONDITION_FAILED');
  }

  #delete(user: ReferenceUser): ReferenceOutcome {
    this.users.delete(user.id);
    const deleted = summaryOf({ ...user, profile: { ...user.profile, active: false } });
    if (user.profile.active) this.events.push({ name: 'user.deactivated', user: deleted });
    this.events.push({ name: 'user.deleted', user: deleted });
    return { ...DONE, changed: true };
  }

  #change(before: ReferenceUser, profile: UserProfile): ReferenceOutcome {
    const names = differences(before.profile, profile);
    if (names.length === 0) return { ok: true, changed: false, user: before };
    const user = { id: before.id, version: before.version + 1, profile };
    const reactivates = profile.active && !before.profile.active;
    const code = this.#taken(user) ?? (reactivates ? this.#full() : undefined);
    if (code) return refused(code);
    this.users.set(user.id, user);
    this.#emitEvents(before, user, names);
    return { ok: true, changed: true, user };
  }

  #emitEvents(before: ReferenceUser, user: ReferenceUser, names: readonly string[]): void {
    const changed = names.filter((name) => name !== 'active').sort();
    const summary = summaryOf(user);
    if (changed.length > 0) this.events.push({ name: 'user.updated', user: summary, changed });
    if (before.profile.active && !user.profile.active)
      this.events.push({ name: 'user.deactivated', user: summary });
    if (!before.profile.active && user.profile.active)
      this.events.push({ name: 'user.reactivated', user: summary });
  }

  #taken({ id, profile }: ReferenceUser): RefusalCode | undefined {
    const others = [...this.users.values()].filter((other) => other.id !== id);
    const address = emailOf(profile)?.toLowerCase();
    if (address && others.some((other) => emailOf(other.profile)?.toLowerCase() === address))
      return 'EMAIL_TAKEN';
    const name = profile.userName.toLowerCase();
    return others.some((other) => other.profile.userName.toLowerCase() === name)
      ? 'USERNAME_TAKEN'
      : undefined;
  }

  #full(): RefusalCode | undefined {
    return this.capacity !== null && this.seats >= this.capacity
      ? 'SEAT_CAPACITY_REACHED'
      : undefined;
  }
}

const withDisplayName = (displayName: string | undefined) =>
  displayName === undefined ? {} : { displayName };

/** Supports only whole attributes; profile-changes.property.test.ts covers paths and selectors. */
const applyOne = (profile: UserProfile, { op, path, value }: ProfileChange): UserProfile => {
  const { [path[0] ?? '']: _old, ...rest } = profile;
  return (op === 'remove' ? rest : { ...rest, [path[0] ?? '']: value }) as UserProfile;
};

const EVENT_FIELDS: Readonly<Record<string, string>> = {
  userName: 'user_name',
  displayName: 'display_name',
};

const differences = (before: UserProfile, after: UserProfile): readonly string[] => {
  const names = new Set<string>();
  for (const name of ['userName', 'displayName', 'emails', 'active'])
    if (JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      names.add(EVENT_FIELDS[name] ?? name);
  const [one, other] = [before, after].map((profile) =>
    summaryOf({ id: '', version: 0, profile }),
  ) as [ReturnType<typeof summaryOf>, ReturnType<typeof summaryOf>];
  if (one.email !== other.email) names.add('email');
  if (one.display_name !== other.display_name) names.add('display_name');
  return [...names];
};
