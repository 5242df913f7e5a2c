import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createConnectorService } from '../../plugins/connectors/connector-service.js';
import type { RunMode, RunRecord } from '../../plugins/connectors/run/run-record.js';
import { ConnectorOptions } from '../../plugins/connectors/options.js';
import type { Command } from '../../src/domain/commands.js';
import { rosterOf } from '../../src/domain/group/group.js';
import { fold } from '../../src/domain/kernel/names.js';
import type { RecordId, UserId } from '../../src/domain/kernel/ids.js';
import type { JsonObject } from '../../src/domain/kernel/json.js';
import type { User } from '../../src/domain/user/user.js';
import { newId, type Outcome, type Submission } from '../../src/pipeline/submit.js';
import { startPipeline } from '../../src/pipeline/pipeline.js';
import { guardConnector } from '../../src/plugin/connector-runtime/guard-connector.js';
import { createWatchdog } from '../../src/plugin/connector-runtime/watchdog.js';
import {
  type Clock,
  type Connector,
  type OpenConnector,
  type ReadMessage,
  type ReadRequest,
  SourceError,
  systemClock,
} from '../../src/plugin/api.js';
import { holdLease } from '../../src/plugin/host/run-timers.js';
import { createConnectorCommands } from '../../src/plugin/connector-runtime/connector-commands.js';
import { createSourceClock } from '../../src/plugin/contract/clock.js';
import type { ConfiguredConnector } from '../../src/plugin/connectors-api.js';
import { createMemoryStorage } from '../../src/plugin/testing/memory-storage.js';
import { aTenant, TENANT_ID } from './builders.js';
import { PASSIVE_RULES } from './no-plugins.js';
import { MemoryCommitStore } from './memory-commit-store.js';

const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** For time limits: a hang of two minutes is over in 50 ms. */
const SPEED = 2_400;
export const FAST_CLOCK: Clock = {
  now: () => systemClock.now() * SPEED,
  after: (ms, run) => systemClock.after(ms / SPEED, run),
};

export const NAME = 'hr';
const SECONDS = 1_000;
const DAY_MS = 86_400_000;

/** How the source misbehaves, besides what it contains. */
export interface Faults {
  /** Throws after this many records. */
  readonly failAfter?: number;
  /** Sends nothing more after this many records. */
  readonly hangAfter?: number;
  /** Ends without `complete` after this many records. */
  readonly cutAfter?: number;
  /** Claims this total. */
  readonly total?: number;
  /** Sends the last record of each page again with the next one. */
  readonly repeats?: boolean;
  /** Records that cannot be read and have no id. */
  readonly anonymousErrors?: number;
  /** Sent after the last record. */
  readonly more?: Iterable<ReadMessage> | AsyncIterable<ReadMessage>;
  /** What it claims to have read; the same again is a repeated read of one snapshot. */
  readonly snapshot?: string;
  /** When it claims to have written that. */
  readonly takenAt?: string;
}

/** Thrown to an instance that is dead. */
class Killed extends Error {}

export interface Instance {
  readonly service: ReturnType<typeof createConnectorService>;
  readonly isDead: () => boolean;
}

/**
 * A tenant in memory behind the real pipeline, a source, and any number of instances on one storage.
 * Instances can be killed at any of their operations.
 */
export class ConnectorWorld {
  now = new Date('2026-11-22T10:00:00.000Z');
  machineOffsetMs = 0;
  readonly source = new Map<string, JsonObject>();
  /** Ids in the order of their changes; a cursor is a position in it. */
  readonly changes: string[] = [];
  /** Records that were deleted, rather than lost by a broken read. */
  readonly #gone = new Set<string>();
  faults: Faults = {};
  /** For the longest time of a read. */
  clock: Clock = systemClock;
  pageSize = 3;
  /** Of the connector; another one has links and runs of its own. */
  name = NAME;
  /** A started connector that is read instead of `source`. */
  opened: OpenConnector | undefined;
  readonly commits: MemoryCommitStore;
  #latest = 0;
  readonly storage: ReturnType<typeof createMemoryStorage>;
  /** Commands of the connector that changed something. */
  readonly effects: {
    readonly type: string;
    readonly userId: UserId | undefined;
    readonly key: string;
  }[] = [];
  submitted = 0;
  reads = 0;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #pipeline: ReturnType<typeof startPipeline>;

  constructor(
    readonly options: Record<string, unknown> = {},
    readonly connector: Partial<Connector> = {},
    tenant: Parameters<typeof aTenant>[0] = {},
    /** A second connector of the tenant of this world, under another name. */
    readonly beside?: { readonly world: ConnectorWorld; readonly name: string },
  ) {
    if (beside) {
      ({ commits: this.commits, storage: this.storage } = beside.world);
      this.#pipeline = beside.world.#pipeline;
      return;
    }
    this.commits = new MemoryCommitStore();
    this.commits.tenant = aTenant(tenant);
    // Leases follow a clock that never goes back.
    this.storage = createMemoryStorage(() => {
      this.#latest = Math.max(this.#latest, this.now.getTime());
      return new Date(this.#latest);
    });
    this.#pipeline = startPipeline({
      store: this.commits,
      rules: PASSIVE_RULES,
      log: SILENT,
    });
  }

  users(): readonly User[] {
    return this.commits.all('users');
  }

  user(userName: string): User | undefined {
    return this.users().find(({ profile }) => profile.userName === userName);
  }

  active(): readonly string[] {
    return this.users()
      .filter(({ profile }) => profile.active)
      .map(({ profile }) => profile.userName)
      .sort();
  }

  /** A command of another interface. */
  async act(command: Command, actor: 'operator' | 'system' = 'operator'): Promise<Outcome> {
    return this.#pipeline.submit({
      tenantId: TENANT_ID,
      command,
      actor: { kind: actor, name: 'test' },
      source: 'scim',
      requestId: 'other',
    });
  }

  put(id: string, data: JsonObject): void {
    this.source.set(id, data);
    this.#gone.delete(id);
    this.changes.push(id);
  }

  /** `p1` … with an address each. */
  fill(count: number, more: (at: number) => JsonObject = () => ({})): void {
    for (let at = 1; at <= count; at += 1) this.put(`p${at}`, person(`p${at}`, more(at)));
  }

  pass(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
  }

  passDays(days: number): void {
    this.pass(days * DAY_MS);
  }

  /**
   * `stopAt`: the operation, from 1, at which it dies, before or after its effect; or at which its process
   * group is asked to stop: the process that reads the source ends at once.
   */
  instance(stopAt = Infinity, how: 'kill' | 'signal' = 'kill'): Instance {
    const owner = randomUUID();
    const stopping = new AbortController();
    let operations = 0;
    const isDead = (): boolean => operations >= stopAt;
    const alive = (): void => {
      operations += 1;
      if (!isDead()) return;
      if (how === 'kill') throw new Killed('killed');
      stopping.abort();
    };
    const readsOn = (): void => {
      alive();
      if (isDead()) throw new SourceError('network', 'The process of the connector has ended.');
    };
    const mortal =
      <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        alive();
        const result = await work(...args);
        alive();
        return result;
      };
    const mortals = <Port extends object>(port: Port): Port =>
      Object.fromEntries(
        Object.entries(port).map(([name, work]) => [name, mortal(work as never)]),
      ) as Port;

    const commandsOf = createConnectorCommands({
      submit: (async (submission: Submission) => {
        alive();
        const submitting = this.#pipeline.submit(submission);
        this.#inFlight.add(submitting);
        const outcome = await submitting.finally(() => this.#inFlight.delete(submitting));
        this.submitted += 1;
        if (outcome.ok && outcome.changed && !outcome.isReplay)
          this.effects.push({
            type: submission.command.type,
            userId: 'userId' in submission.command ? submission.command.userId : undefined,
            key: submission.commandId ?? '',
          });
        alive();
        return outcome;
      }) as never,
      preview: this.#pipeline.preview,
      stopping: stopping.signal,
      clock: createSourceClock(() => this.now),
    });
    const activeUsers = () => this.users().filter(({ profile }) => profile.active);
    const leases = mortals(this.storage.leases);
    const service = createConnectorService({
      host: {
        collection: (name) => mortals(this.storage.collectionOf('connectors', name)),
        commandsOf,
        users: {
          find: (_tenant, by, values) => Promise.resolve(this.#find(by, values)),
          versions: (_tenant, ids) =>
            Promise.resolve(new Map(this.#find('id', ids).map(({ id, version }) => [id, version]))),
          activeUsers: async function* (this: unknown) {
            yield await Promise.resolve(activeUsers());
          },
          findGroups: (_tenant, names) =>
            Promise.resolve(
              this.commits
                .all('groups')
                .filter(({ displayName }) => names.map(fold).includes(fold(displayName))),
            ),
          memberships: (_tenant, groupIds, userIds) => {
            const groups = this.commits.all('groups').filter(({ id }) => groupIds.includes(id));
            const members = this.commits.all('memberships');
            return Promise.resolve(
              groups.flatMap((group) =>
                members
                  .filter((one) => one.rosterId === rosterOf(group))
                  .filter((one) => userIds.includes(one.userId))
                  .map(({ userId, addedAt }) => ({ groupId: group.id, userId, addedAt })),
              ),
            );
          },
          tenant: () => Promise.resolve(this.commits.tenant),
        },
        leases: {
          run: async (lease, work) =>
            (await holdLease(
              {
                store: leases,
                owner,
                stopping: stopping.signal,
                clock: systemClock,
                log: SILENT,
              },
              { lease },
              work,
            )) === undefined,
        },
        log: process.env.TEST_LOG_LEVEL === undefined ? SILENT : console,
        now: () => this.now,
      },
      configured: this.#configured(readsOn),
      evaluate: () => Promise.resolve({ ok: false, message: 'not here' }),
      machineNow: () => new Date(this.now.getTime() + this.machineOffsetMs),
      clock: this.clock,
    });
    return { service, isDead };
  }

  /** The record is gone, and the next delta says so. */
  leave(id: string): void {
    this.source.delete(id);
    this.#gone.add(id);
    this.changes.push(id);
  }

  /** Starts a run on an instance that lives, and waits for its end. */
  async run(
    mode: RunMode = 'full',
    more: { readonly ids?: readonly string[]; readonly isPlanOnly?: boolean } = {},
  ): Promise<RunRecord> {
    const { service } = this.instance();
    const { id } = await service.start({ mode, trigger: 'operator', requestedBy: 'test', ...more });
    await service.idle();
    return this.runOf(id);
  }

  async runOf(id: string): Promise<RunRecord> {
    const run = await (await this.instance().service.store()).run(id);
    if (!run) throw new Error(`No run ${id}.`);
    return run;
  }

  /** A commit that was under way when an instance died has happened or not once this resolves. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
  }

  /** Continues what a dead instance left, once its lease is over. */
  async recover(killAt = Infinity): Promise<Instance> {
    this.pass(16 * SECONDS);
    await this.settle();
    const instance = this.instance(killAt);
    await instance.service.tick().catch(() => undefined);
    await instance.service.idle();
    return instance;
  }

  #find(by: string, values: readonly string[]): readonly User[] {
    const wanted = new Set(by === 'userName' || by === 'email' ? values.map(fold) : values);
    return this.users().filter((user) => {
      const key =
        by === 'id'
          ? user.id
          : by === 'externalId'
            ? user.profile.externalId
            : by === 'email'
              ? user.email && fold(user.email)
              : fold(user.profile.userName);
      return typeof key === 'string' && wanted.has(key);
    });
  }

  #configured(alive: () => void): ConfiguredConnector {
    const connector: Connector = {
      apiVersion: 1,
      name: 'memory',
      title: 'Memory',
      description: 'A source in memory.',
      triedAgainst: 'server',
      record: z.looseObject({}) as never,
      deltas: { reportsDeletions: true },
      mapping: {
        userName: { path: 'mail', required: true },
        email: 'mail',
        'name.givenName': 'first',
        title: 'job',
        manager: 'boss',
      },
      lifecycle: { start: 'start', end: 'end' },
      start: () => Promise.reject(new Error('unused')),
      ...this.connector,
    };
    return {
      name: this.beside?.name ?? this.name,
      use: 'memory',
      tenant: 'acme',
      isEnabled: true,
      problem: null,
      connector,
      isolation: 'none',
      options: ConnectorOptions.parse(this.options),
      open: () =>
        Promise.resolve(
          this.opened ??
            guardConnector({
              connector,
              running: {
                check: () => Promise.resolve({ ok: true, message: 'fine' }),
                discover: () => Promise.resolve([{ path: 'mail' }]),
                read: (request) => this.#read(request, alive),
              },
              watchdog: createWatchdog(FAST_CLOCK),
              clock: FAST_CLOCK,
              redact: (text) => text,
              isChecked: true,
              onHang: () => undefined,
            }),
        ),
      close: () => Promise.resolve(),
    };
  }

  async *#read(
    { mode, ids, cursor, isResumed, signal }: ReadRequest,
    alive: () => void,
  ): AsyncGenerator<ReadMessage> {
    this.reads += 1;
    const {
      failAfter,
      hangAfter,
      cutAfter,
      total,
      repeats,
      anonymousErrors = 0,
      more = [],
      snapshot,
      takenAt,
    } = this.faults;
    const place = isResumed
      ? (cursor as { since: number; until: number; at: number })
      : { since: mode === 'delta' ? Number(cursor) : 0, until: this.changes.length, at: 0 };
    const { since, until } = place;
    const changed = [...new Set(this.changes.slice(since, until))];
    const wanted = ids ?? (mode === 'delta' ? changed : [...this.source.keys()]);
    const from = place.at;
    let sent = 0;
    for (let at = from; at < wanted.length; at += 1) {
      await Promise.resolve();
      alive();
      signal.throwIfAborted();
      if (sent === failAfter) throw new SourceError('network', 'HTTP 500');
      if (sent === cutAfter) return;
      if (sent === hangAfter) await new Promise(() => undefined);
      const id = wanted[at] ?? '';
      const data = this.source.get(id);
      if (data) yield { type: 'record', id, data };
      else if (!ids && this.#gone.has(id)) yield { type: 'tombstone', id };
      sent += 1;
      if ((at + 1) % this.pageSize === 0) {
        if (repeats && data) yield { type: 'record', id, data };
        yield { type: 'checkpoint', cursor: { since, until, at: at + 1 } };
      }
    }
    for (let at = 0; at < anonymousErrors; at += 1)
      yield { type: 'recordError', message: 'a line without id' };
    yield* more;
    yield {
      type: 'complete',
      cursor: until,
      ...(total !== undefined && { total }),
      ...(snapshot !== undefined && { snapshot }),
      ...(takenAt !== undefined && { takenAt }),
    };
  }

  newRecordId(): RecordId {
    return newId<RecordId>();
  }
}

export const person = (id: string, more: JsonObject = {}): JsonObject => ({
  mail: `${id}@example.com`,
  first: id.toUpperCase(),
  ...more,
});
