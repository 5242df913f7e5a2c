import type { CommandLogReader } from '../../src/api/command-log.js';
import type { ApiKeyReader, Page, TenantReader } from '../../src/api/tenants.js';
import type { UserReader } from '../../src/api/users.js';
import type { Actor } from '../../src/domain/actor.js';
import type { ApiKey } from '../../src/domain/api-key.js';
import { type Facts, isRefused, type Rules } from '../../src/domain/decide/decider.js';
import { deciderOf } from '../../src/domain/decide/deciders.js';
import { fold } from '../../src/domain/fold.js';
import type { Group } from '../../src/domain/group.js';
import type { ApiKeyId, TenantId } from '../../src/domain/ids.js';
import { type Scope, SCOPES } from '../../src/domain/scopes.js';
import type { Membership } from '../../src/domain/membership.js';
import type { RoleMapping } from '../../src/domain/role-mapping.js';
import type { Room } from '../../src/domain/room.js';
import type { Change } from '../../src/domain/tables.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { displayNameOf, roleOf, type User } from '../../src/domain/user.js';
import { makeApiKey } from '../../src/http/keys/api-key-format.js';
import type { CommandLogEntry } from '../../src/pipeline/commit-store.js';
import { newId } from '../../src/pipeline/new-id.js';
import type { Submission, Submit } from '../../src/pipeline/submit.js';
import { factsOver } from './array-facts.js';
import { aTenant, NOW } from './builders.js';

const cut = <Item>(items: readonly Item[], { offset, limit }: Page): readonly Item[] =>
  items.slice(offset, offset + limit);

const NO_RULES: Rules = {
  applyPatch: () => {
    throw new Error('This world patches nothing.');
  },
  pluginRule: () => undefined,
};

/**
 * A gateway without database or pipeline: the real deciders over arrays, one command at a time.
 * For tests of the edge, which must not care what is behind it.
 */
export class FakeWorld {
  tenants: Tenant[] = [];
  users: User[] = [];
  apiKeys: ApiKey[] = [];
  rooms: Room[] = [];
  groups: Group[] = [];
  memberships: Membership[] = [];
  roleMappings: RoleMapping[] = [];
  log: CommandLogEntry[] = [];
  readonly submissions: Submission[] = [];
  readonly uses = new Map<ApiKeyId, Date>();
  /** Thrown by the next reads, as a database that is away would. */
  fault: Error | undefined;
  /** What deciders are handed; tests of SCIM give it the real PATCH. */
  rules: Rules = NO_RULES;

  addTenant(more: Partial<Tenant> = {}): Tenant {
    const tenant = aTenant({ id: newId<TenantId>(), ...more });
    this.tenants.push(tenant);
    return tenant;
  }

  /** Makes a key and answers with its text. */
  addKey(tenant: Tenant, scopes: readonly Scope[] = SCOPES): { key: string; id: ApiKeyId } {
    const { key, prefix, hash } = makeApiKey();
    const id = newId<ApiKeyId>();
    const kept = { id, tenantId: tenant.id, hash, prefix, scopes, description: 'test' };
    this.apiKeys.push({ ...kept, createdAt: NOW });
    return { key, id };
  }

  readonly submit: Submit = (submission) => {
    this.submissions.push(submission as unknown as Submission);
    const { tenantId, command } = submission;
    const envelope = { id: newId(), ...submission, actor: submission.actor satisfies Actor };
    if (command.type === 'bulk') throw new Error('This world runs no Bulk.');
    const decider = deciderOf(command.type);
    const verdict = decider.decide(envelope as never, this.#facts(tenantId), this.rules);
    if (isRefused(verdict)) return Promise.resolve({ ok: false, refusal: verdict.refusal });
    for (const change of verdict.changes) this.#apply(tenantId, change);
    const changed = verdict.changes.length > 0;
    return Promise.resolve({ ok: true, result: verdict.result as never, changed });
  };

  readonly userReader: UserReader = {
    find: (tenantId, id) =>
      this.#read(() => this.users.find((user) => user.tenantId === tenantId && user.id === id)),
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
        return { users: cut(all, query), total: all.length };
      }),
  };

  readonly tenantReader: TenantReader = {
    find: (id) => this.#read(() => this.tenants.find((tenant) => tenant.id === id)),
    findBySlug: (slug) => this.#read(() => this.tenants.find((tenant) => tenant.slug === slug)),
    page: (page) =>
      this.#read(() => ({ tenants: cut(this.tenants, page), total: this.tenants.length })),
  };

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
        const shown = cut(all, page).map((key) => ({
          key,
          lastUsedAt: this.uses.get(key.id) ?? null,
        }));
        return { keys: shown, total: all.length };
      }),
    noteUse: (uses) =>
      this.#read(() => {
        for (const [id, at] of uses) this.uses.set(id, at);
      }),
  };

  readonly commandReader: CommandLogReader = {
    page: (tenantId, query) =>
      this.#read(() => {
        const all = this.log.filter(
          (entry) =>
            entry.tenantId === tenantId &&
            (query.type === undefined || entry.type === query.type) &&
            (query.outcome === undefined || entry.outcome === query.outcome) &&
            (query.source === undefined || entry.source === query.source) &&
            (query.target === undefined || entry.target === query.target) &&
            (query.since === undefined || entry.at >= query.since) &&
            (query.until === undefined || entry.at < query.until),
        );
        return { entries: cut(all, query), total: all.length };
      }),
  };

  #read<Value>(answer: () => Value): Promise<Value> {
    return this.fault ? Promise.reject(this.fault) : Promise.resolve(answer());
  }

  #facts(tenantId: TenantId): Facts {
    const own = <Owned extends { readonly tenantId: TenantId }>(entities: readonly Owned[]) =>
      entities.filter((entity) => entity.tenantId === tenantId);
    const known = {
      users: own(this.users),
      apiKeys: own(this.apiKeys),
      rooms: own(this.rooms),
      groups: own(this.groups),
      memberships: own(this.memberships),
      roleMappings: own(this.roleMappings),
      tenants: this.tenants,
    };
    return factsOver({ known, tenant: this.tenants.find(({ id }) => id === tenantId) });
  }

  #apply(tenantId: TenantId, { table, before, after }: Change): void {
    const id = table === 'tenant' ? tenantId : ((before ?? after) as { id: string }).id;
    const name = table === 'tenant' ? 'tenants' : table;
    if (!isKept(name)) return;
    const rest = (this[name] as { id: string }[]).filter((entity) => entity.id !== id);
    this[name] = (after ? [...rest, after] : rest) as never;
  }
}

const KEPT = [
  'tenants',
  'users',
  'apiKeys',
  'rooms',
  'groups',
  'memberships',
  'roleMappings',
] as const;

const isKept = (table: string): table is (typeof KEPT)[number] =>
  KEPT.some((kept) => kept === table);
