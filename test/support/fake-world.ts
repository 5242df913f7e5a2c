import { Readable } from 'node:stream';
import type { CommandLogReader } from '../../src/ports/command-log.js';
import type {
  GroupView,
  GroupViewReader,
  RoleMappingReader,
  RoomMember,
  RoomReader,
  CompleteList,
} from '../../src/ports/rooms.js';
import type {
  JobReader,
  ApiKeyReader,
  ApiKeyUse,
  ApiKeyWithUse,
  TenantReader,
} from '../../src/ports/tenants.js';
import type { Page } from '../../src/ports/entity-reader.js';
import type { SmsListReader } from '../../src/ports/sms-lists.js';
import type { UserReader } from '../../src/ports/users.js';
import type { ApiKey, Tenant } from '../../src/domain/tenant/tenant.js';
import type { RoomView } from '../../src/domain/commands.js';
import { type Facts, isRefused, type Rules } from '../../src/domain/kernel/decider.js';
import { deciderOf } from '../../src/domain/command-catalogue.js';
import { fold } from '../../src/domain/kernel/names.js';
import { type Group, rosterOf } from '../../src/domain/group/group.js';
import type { ApiKeyId, RoomId, TenantId, UserId } from '../../src/domain/kernel/ids.js';
import type { Job } from '../../src/domain/job/job.js';
import { type Scope, SCOPES } from '../../src/domain/scopes.js';
import type { Membership, Room } from '../../src/domain/room/room.js';
import type { Change } from '../../src/domain/tables.js';
import { effectiveMapping, type RoleMapping } from '../../src/domain/role/role-mapping.js';
import { displayNameOf, roleOf, type User } from '../../src/domain/user/user.js';
import { generateApiKey } from '../../src/http/access/credentials.js';
import type { CommandLogEntry } from '../../src/pipeline/commit-store.js';
import { newId, type Outcome, type Submission, type Submit } from '../../src/pipeline/submit.js';
import type { Preview, PreviewCommand } from '../../src/pipeline/preview.js';
import { factsOver } from './array-facts.js';
import { aTenant, NOW } from './builders.js';
import { decideSync } from './decide-sync.js';

const pageOf = <Item>(items: readonly Item[], { offset, limit }: Page): readonly Item[] =>
  items.slice(offset, offset + limit);

const streamed = <Item>(items: readonly Item[], total: number): CompleteList<Item> => ({
  items: Readable.from(items),
  total,
});

const NO_RULES: Rules = {
  pluginRule: () => undefined,
};

/** Replaces database and pipeline in tests of the edge: runs the real deciders over arrays. */
export class FakeBackend {
  tenants: Tenant[] = [];
  users: User[] = [];
  apiKeys: ApiKey[] = [];
  rooms: Room[] = [];
  groups: Group[] = [];
  memberships: Membership[] = [];
  roleMappings: RoleMapping[] = [];
  jobs: Job[] = [];
  log: CommandLogEntry[] = [];
  /** The submissions that were previewed. */
  readonly previews: Submission[] = [];
  readonly submissions: Submission[] = [];
  readonly uses = new Map<ApiKeyId, ApiKeyUse>();
  /** Thrown by all reads, to simulate an unavailable database. */
  failure: Error | undefined;
  /** Passed to the deciders; SCIM tests set the real PATCH here. */
  rules: Rules = NO_RULES;

  addTenant(more: Partial<Tenant> = {}): Tenant {
    const tenant = aTenant({ id: newId<TenantId>(), ...more });
    this.tenants.push(tenant);
    return tenant;
  }

  /** Adds an API key and returns its text. */
  addKey(tenant: Tenant, scopes: readonly Scope[] = SCOPES): { key: string; id: ApiKeyId } {
    const { key, prefix, hash } = generateApiKey();
    const id = newId<ApiKeyId>();
    const stored = { id, tenantId: tenant.id, hash, prefix, scopes, description: 'test' };
    this.apiKeys.push({ ...stored, createdAt: NOW });
    return { key, id };
  }

  readonly submit: Submit = (submission) => {
    this.submissions.push(submission as unknown as Submission);
    const { tenantId } = submission;
    const verdict = this.#decide(submission as unknown as Submission);
    if (isRefused(verdict)) return Promise.resolve({ ok: false, refusal: verdict.refusal });
    for (const change of verdict.changes) this.#apply(tenantId, change);
    const changed = verdict.changes.length > 0;
    return Promise.resolve({ ok: true, result: verdict.result as never, changed });
  };

  /** Decides without applying the changes. Does not compute role changes. */
  readonly preview: PreviewCommand = (submission) => {
    this.previews.push(submission as unknown as Submission);
    const verdict = this.#decide(submission as unknown as Submission);
    const events = isRefused(verdict) ? [] : verdict.events;
    const seats = this.tenants.find(({ id }) => id === submission.tenantId)?.seatsProvisioned ?? 0;
    const outcome: Outcome = isRefused(verdict)
      ? { ok: false, refusal: verdict.refusal }
      : { ok: true, result: verdict.result as never, changed: verdict.changes.length > 0 };
    const preview: Preview = {
      outcome,
      events,
      eventCount: events.length,
      roleChanges: [],
      roleChangeCount: 0,
      roleChangeSummary: [],
      seats: { capacity: null, before: seats, after: seats },
      remaining: 0,
    };
    return Promise.resolve(preview as never);
  };

  #decide({ tenantId, ...submission }: Submission) {
    const envelope = { id: newId(), tenantId, ...submission };
    const { command } = submission;
    if (command.type === 'bulk') throw new Error('The fake backend does not support Bulk.');
    const decider = deciderOf(command.type);
    return decideSync(decider.decide(envelope as never, this.#facts(tenantId), this.rules));
  }

  /** By display name. */
  groupsOf(id: UserId): readonly Group[] {
    const rosters = this.memberships.flatMap(({ userId, rosterId }) =>
      userId === id ? [rosterId] : [],
    );
    return this.groups
      .filter((group) => rosters.includes(rosterOf(group)))
      .toSorted((one, other) => (one.displayName < other.displayName ? -1 : 1));
  }

  readonly userReader: UserReader = {
    find: (tenantId, id) =>
      this.#read(() => this.users.find((user) => user.tenantId === tenantId && user.id === id)),
    findWithGroups: async (tenantId, id) => {
      const user = await this.userReader.find(tenantId, id);
      return user && { user, groups: this.groupsOf(id) };
    },
    page: (tenantId, query) =>
      this.#read(() => {
        const all = this.users.filter((user) => {
          const { email, externalId, active, role, prefix, defaultRole } = query;
          const starts = [user.email ?? '', displayNameOf(user.profile)].some((text) =>
            fold(text).startsWith(fold(prefix ?? '')),
          );
          return (
            user.tenantId === tenantId &&
            (email === undefined || fold(user.email ?? '') === fold(email)) &&
            (externalId === undefined || user.profile.externalId === externalId) &&
            (active === undefined || user.profile.active === active) &&
            (role === undefined || roleOf(user, { defaultRole }) === role) &&
            starts
          );
        });
        return { users: pageOf(all, query), total: all.length };
      }),
  };

  readonly tenantReader: TenantReader = {
    find: (id) => this.#read(() => this.tenants.find((tenant) => tenant.id === id)),
    findBySlug: (slug) => this.#read(() => this.tenants.find((tenant) => tenant.slug === slug)),
    page: (page, slugs = null) =>
      this.#read(() => {
        const shown = this.tenants.filter(({ slug }) => slugs?.includes(slug) ?? true);
        return { items: pageOf(shown, page), total: shown.length };
      }),
  };

  readonly #withUse = (key: ApiKey): ApiKeyWithUse => ({
    key,
    lastUsedAt: this.uses.get(key.id)?.at ?? null,
    userAgent: this.uses.get(key.id)?.userAgent ?? null,
    firstUsedAt: this.uses.get(key.id)?.at ?? null,
    lookedUpAt: this.uses.get(key.id)?.lookedUpAt ?? null,
  });

  readonly apiKeyReader: ApiKeyReader = {
    findByHash: (hash) =>
      this.#read(() => {
        const key = this.apiKeys.find((one) => one.hash === hash);
        const tenant = this.tenants.find(({ id }) => id === key?.tenantId);
        return key && tenant ? { key, tenant } : undefined;
      }),
    page: (tenantId, page) =>
      this.#read(() => {
        const all = this.apiKeys.filter((key) => key.tenantId === tenantId);
        return { items: pageOf(all, page).map(this.#withUse), total: all.length };
      }),
    find: (tenantId, id) =>
      this.#read(() =>
        this.apiKeys
          .filter((key) => key.tenantId === tenantId && key.id === id)
          .map(this.#withUse)
          .at(0),
      ),
    recordUse: (uses) =>
      this.#read(() => {
        for (const [id, use] of uses) this.uses.set(id, use);
      }),
  };

  readonly commandReader: CommandLogReader = {
    ends: (tenantIds) =>
      this.#read(() => {
        const committedAt = this.log[0]?.at ?? NOW;
        return new Map(tenantIds.map((id) => [id, { committedAt, unapplied: 0 }]));
      }),
    unapplied: () => this.#read(() => []),
    setupOf: () => this.#read(() => []),
    tried: () => this.#read(() => []),
    positions: () => this.#read(() => []),
    findAll: () => this.#read(() => []),
    find: () => this.#read(() => undefined),
    page: () => this.#read(() => ({ entries: this.log })),
  };

  #roomsOf(tenantId: TenantId): readonly RoomView[] {
    const ofTenant = this.rooms.filter((room) => room.tenantId === tenantId);
    return ofTenant.map((room) => {
      const group = this.groups.find(({ roomId }) => roomId === room.id) ?? null;
      const named = this.roleMappings.filter(
        (mapping) =>
          mapping.tenantId === tenantId &&
          fold(mapping.groupDisplayName) === fold(group?.displayName ?? ''),
      );
      return { room, group, role: (group && effectiveMapping(named)?.role) ?? null };
    });
  }

  #membersOf(tenantId: TenantId, roomId: RoomId): readonly RoomMember[] | undefined {
    if (!this.#roomsOf(tenantId).some(({ room }) => room.id === roomId)) return undefined;
    return this.memberships
      .filter(({ rosterId }) => rosterId === roomId)
      .flatMap(({ userId, txPermission, addedAt }) => {
        const user = this.users.find(({ id }) => id === userId);
        if (!user) return [];
        const { email, profile } = user;
        const displayName = displayNameOf(profile);
        return [{ userId, txPermission, email, displayName, active: profile.active, addedAt }];
      })
      .sort((one, other) => (one.userId < other.userId ? -1 : 1));
  }

  readonly roomReader: RoomReader = {
    find: (tenantId, id) =>
      this.#read(() => this.#roomsOf(tenantId).find(({ room }) => room.id === id)),
    page: (tenantId, { name, mapped, ...page }) =>
      this.#read(() => {
        const all = this.#roomsOf(tenantId).filter(
          ({ room, group }) =>
            (name === undefined || fold(room.name) === fold(name)) &&
            (mapped === undefined || mapped === (group !== null)),
        );
        return { items: pageOf(all, page), total: all.length };
      }),
    all: async (tenantId, query) => {
      const { items, total } = await this.roomReader.page(tenantId, { ...query, limit: Infinity });
      return streamed(items, total);
    },
    countMapped: (tenantId) =>
      this.#read(() => this.#roomsOf(tenantId).filter(({ group }) => group !== null).length),
    roomsOf: (tenantId, userId, page) =>
      this.#read(() => {
        const own = this.memberships.filter(
          (one) => one.tenantId === tenantId && one.userId === userId,
        );
        const found = own.flatMap(({ rosterId, txPermission, addedAt }) => {
          const room = this.rooms.find(({ id }) => id === rosterId);
          return room ? [{ id: room.id, name: room.name, txPermission, addedAt }] : [];
        });
        return { items: pageOf(found, page), total: found.length };
      }),
    memberPage: (tenantId, id, page) =>
      this.#read(() => {
        const members = this.#membersOf(tenantId, id);
        return members && { items: pageOf(members, page), total: members.length };
      }),
    allMembers: async (tenantId, id, { offset }) => {
      const page = await this.roomReader.memberPage(tenantId, id, { offset, limit: Infinity });
      return page && streamed(page.items, page.total);
    },
  };

  #groupsOf(tenantId: TenantId): readonly GroupView[] {
    const ofTenant = this.groups.filter((group) => group.tenantId === tenantId);
    return ofTenant.map((group) => {
      const named = this.roleMappings.filter(
        (mapping) =>
          mapping.tenantId === tenantId &&
          fold(mapping.groupDisplayName) === fold(group.displayName),
      );
      return { group, role: effectiveMapping(named)?.role ?? null };
    });
  }

  readonly groupViewReader: GroupViewReader = {
    find: (tenantId, id) =>
      this.#read(() => this.#groupsOf(tenantId).find(({ group }) => group.id === id)),
    page: (tenantId, { displayName, externalId, ...page }) =>
      this.#read(() => {
        const all = this.#groupsOf(tenantId).filter(
          ({ group }) =>
            (displayName === undefined || fold(group.displayName) === fold(displayName)) &&
            (externalId === undefined || group.externalId === externalId),
        );
        return { items: pageOf(all, page), total: all.length };
      }),
    memberPage: (tenantId, id) =>
      this.#read(() =>
        this.#groupsOf(tenantId).some(({ group }) => group.id === id)
          ? { items: [], total: 0 }
          : undefined,
      ),
  };

  readonly roleMappingReader: RoleMappingReader = {
    named: (tenantId, names) =>
      this.#read(() => {
        const folded = new Set(names.map(fold));
        const isNamed = (one: { readonly tenantId: TenantId }, name: string): boolean =>
          one.tenantId === tenantId && folded.has(fold(name));
        return {
          mappings: this.roleMappings.filter((one) => isNamed(one, one.groupDisplayName)),
          groups: this.groups.filter((one) => isNamed(one, one.displayName)),
          rooms: this.rooms.filter((one) => isNamed(one, one.name)),
        };
      }),
    find: (tenantId, id) =>
      this.#read(() => this.roleMappings.find((one) => one.tenantId === tenantId && one.id === id)),
    page: (tenantId, { groupDisplayName, ...page }) =>
      this.#read(() => {
        const all = this.roleMappings.filter(
          (one) =>
            one.tenantId === tenantId &&
            (groupDisplayName === undefined ||
              fold(one.groupDisplayName) === fold(groupDisplayName)),
        );
        return { items: pageOf(all, page), total: all.length };
      }),
  };

  /** Tests of the edge have no SMS lists. */
  readonly smsListReader: SmsListReader = {
    find: () => this.#read(() => undefined),
    page: () => this.#read(() => ({ items: [], total: 0 })),
    memberPage: () => this.#read(() => undefined),
    findEnded: () => this.#read(() => undefined),
  };

  readonly jobReader: JobReader = {
    find: (tenantId, id) =>
      this.#read(() => this.jobs.find((job) => job.tenantId === tenantId && job.id === id)),
    findByIds: (tenantId, ids) =>
      this.#read(() =>
        this.jobs.filter((job) => job.tenantId === tenantId && ids.includes(job.id)),
      ),
    page: (tenantId, { isFinished, ...page }) =>
      this.#read(() => {
        const all = this.jobs
          .filter(
            (job) =>
              job.tenantId === tenantId &&
              (isFinished === undefined || isFinished === (job.finishedAt !== null)),
          )
          .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
        return { items: pageOf(all, page), total: all.length };
      }),
  };

  #read<Value>(answer: () => Value): Promise<Value> {
    return this.failure ? Promise.reject(this.failure) : Promise.resolve(answer());
  }

  #facts(tenantId: TenantId): Facts {
    const ofTenant = <Owned extends { readonly tenantId: TenantId }>(entities: readonly Owned[]) =>
      entities.filter((entity) => entity.tenantId === tenantId);
    const known = {
      users: ofTenant(this.users),
      apiKeys: ofTenant(this.apiKeys),
      rooms: ofTenant(this.rooms),
      groups: ofTenant(this.groups),
      memberships: ofTenant(this.memberships),
      roleMappings: ofTenant(this.roleMappings),
      tenants: this.tenants,
    };
    return factsOver({ known, tenant: this.tenants.find(({ id }) => id === tenantId) });
  }

  #apply(tenantId: TenantId, { table, before, after }: Change): void {
    const id = table === 'tenant' ? tenantId : ((before ?? after) as { id: string }).id;
    const name = table === 'tenant' ? 'tenants' : table;
    if (!isStored(name)) return;
    const held = this[name] as { id: string }[];
    const isNew = !held.some((entity) => entity.id === id);
    this[name] = [
      ...held.flatMap((entity) => (entity.id === id ? (after ?? []) : entity)),
      ...(isNew && after ? [after] : []),
    ] as never;
  }
}

const STORED_TABLES = [
  'tenants',
  'users',
  'apiKeys',
  'rooms',
  'groups',
  'memberships',
  'roleMappings',
] as const;

const isStored = (table: string): table is (typeof STORED_TABLES)[number] =>
  STORED_TABLES.some((stored) => stored === table);
