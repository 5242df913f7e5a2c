import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import pino from 'pino';
import type { CommandOf, CommandType } from '../../src/domain/commands.js';
import type { TenantId } from '../../src/domain/ids.js';
import type { Idempotency } from '../../src/domain/remembered-answer.js';
import { type Pipeline, startPipeline } from '../../src/pipeline/pipeline.js';
import type { Outcome } from '../../src/pipeline/submit.js';
import type { Delivery, DeliveryOutcome } from '../../src/plugin/contract.js';
import { createDeliveryEngine, type DeliveryEngine } from '../../src/plugin/delivery-engine.js';
import { ENGINE_LIMITS, type EngineLimits } from '../../src/plugin/engine/engine-limits.js';
import { connect } from '../../src/store/connect.js';
import { openStore, type Store } from '../../src/store/open-store.js';
import { type CutProxy, openCutProxy } from './cut-proxy.js';

/** The name of the one subscriber; every event is owed to each of its keys. */
export const SUBSCRIBER = 'tests';

/** A command of the driver: on its way to the database, or answered by it. */
export interface Moment {
  readonly when: 'sends' | 'has sent';
  readonly command: 'commitTransaction' | 'insert' | 'update';
  readonly collection?: string;
}

export interface MortalParts {
  readonly uri: string;
  /** The receiver: called with each attempt. */
  readonly receive: (delivery: Delivery) => Promise<DeliveryOutcome>;
  readonly limits?: Partial<EngineLimits>;
  readonly keys?: readonly string[];
}

const never = new Promise<never>(() => undefined);
const PLAIN = { seal: (text: string) => text, unseal: (text: string) => text };
const HOUR = 3_600_000;

/**
 * A gateway without its edge: store, pipeline and delivery engine, joined with the others over a
 * proxy of its own. It dies like a process that is killed: its connections break in the middle of
 * whatever they carry, and nothing of it is heard of any more.
 */
export class MortalInstance {
  readonly own: string;
  #isDead = false;

  private constructor(
    own: string,
    readonly proxy: CutProxy,
    private readonly connection: Connection,
    readonly store: Store,
    private readonly pipeline: Pipeline,
    private readonly engine: DeliveryEngine,
  ) {
    this.own = own;
  }

  static async start({
    uri,
    receive,
    limits = {},
    keys = ['alpha'],
  }: MortalParts): Promise<MortalInstance> {
    const own = randomUUID();
    const { hostname, port } = new URL(uri);
    const proxy = await openCutProxy({ host: hostname, port: Number(port) });
    const connection = await connect(throughProxy(uri, proxy), { monitorCommands: true });
    const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
    const store = await openStore(connection, {
      own,
      secrets: PLAIN,
      plugins: [SUBSCRIBER],
      keepEventsMs: HOUR,
      keepLogMs: HOUR,
      rateLimit: 1_000,
      log,
    });
    const subscriber = {
      prepare: () => undefined,
      route: () => keys,
      serving: (_tenant: TenantId, asked: readonly string[]) => Promise.resolve(new Set(asked)),
      deliver: (delivery: Delivery) => (instance.#isDead ? never : receive(delivery)),
      retrySchedule: [100, 100, 100],
      concurrencyPerKey: 8,
    };
    const engine = createDeliveryEngine({
      subscribers: new Map([[SUBSCRIBER, subscriber]]),
      store: store.outbox,
      owner: own,
      othersAlive: () => store.instances.alive() > 1,
      timesBuried: store.instances.timesBuried,
      log,
      limits: { ...ENGINE_LIMITS, ...limits },
    });
    const pipeline = startPipeline({
      store: store.commits,
      outbox: engine,
      rules: { applyPatch: (profile) => profile, pluginRule: () => undefined },
      log,
    });
    const instance = new MortalInstance(own, proxy, connection, store, pipeline, engine);
    engine.start();
    return instance;
  }

  /** Never answers once it is dead. */
  async submit<Type extends CommandType>(
    tenantId: TenantId,
    command: CommandOf<Type>,
    idempotency?: Idempotency,
  ): Promise<Outcome<Type>> {
    const outcome = await this.pipeline.submit<Type>({
      tenantId,
      command,
      actor: { kind: 'operator', name: 'test' },
      source: 'admin',
      requestId: 'request-1',
      ...(idempotency && { idempotency }),
    });
    return this.#isDead ? never : outcome;
  }

  die(): void {
    this.#isDead = true;
    this.proxy.cut();
  }

  /** Resolves when it is dead. */
  dieWhenIt(moment: Moment): Promise<void> {
    return this.#when(moment, () => this.die());
  }

  /** Resolves when it has done so for the first time from now. */
  hasDone(moment: Moment): Promise<void> {
    return this.#when(moment, () => undefined);
  }

  /** Acts in the very moment: before the bytes are on their way, or before anybody hears the answer. */
  #when({ when, command, collection }: Moment, act: () => void): Promise<void> {
    return new Promise((resolve) => {
      const client = this.connection.getClient();
      const meant = new Set<number>();
      const note = ({ commandName, command: sent, requestId }: mongo.CommandStartedEvent): void => {
        if (commandName !== command) return;
        if (collection === undefined || sent[command] === collection) meant.add(requestId);
      };
      const hear = ({ requestId }: { readonly requestId: number }): void => {
        if (!meant.has(requestId)) return;
        client.off('commandStarted', note).off(name, hear);
        act();
        resolve();
      };
      const name = when === 'sends' ? 'commandStarted' : 'commandSucceeded';
      client.on('commandStarted', note).on(name, hear);
    });
  }

  /** Puts it away, dead or alive. */
  async end(): Promise<void> {
    if (!this.#isDead) {
      await this.pipeline.drain();
      await this.engine.stop();
    }
    this.proxy.mend();
    await this.store.close();
    await this.proxy.close();
  }
}

const throughProxy = (uri: string, proxy: CutProxy): string => {
  const through = new URL(uri);
  through.host = `127.0.0.1:${proxy.port}`;
  through.searchParams.set('directConnection', 'true');
  through.searchParams.delete('replicaSet');
  return through.href;
};
