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

/** The name of the one subscriber; every event is owed to its one key. */
export const SUBSCRIBER = 'tests';

/** What the driver does when an instance is to die: `at` its first such command, or `after` it. */
export interface Moment {
  readonly when: 'sends' | 'has sent';
  readonly command: 'commitTransaction' | 'update';
  readonly collection?: string;
}

export interface MortalParts {
  readonly uri: string;
  /** The receiver: called with each attempt. */
  readonly receive: (delivery: Delivery) => Promise<DeliveryOutcome>;
  readonly limits?: Partial<EngineLimits>;
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

  static async start({ uri, receive, limits = {} }: MortalParts): Promise<MortalInstance> {
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
      route: () => ['alpha'],
      serving: (_tenant: TenantId, keys: readonly string[]) => Promise.resolve(new Set(keys)),
      deliver: (delivery: Delivery) => (instance.#isDead ? never : receive(delivery)),
      retrySchedule: [100, 100, 100],
      concurrencyPerKey: 8,
    };
    const engine = createDeliveryEngine({
      subscribers: new Map([[SUBSCRIBER, subscriber]]),
      store: store.outbox,
      owner: own,
      othersAlive: () => store.instances.alive() > 1,
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
  dieWhenIt({ when, command, collection }: Moment): Promise<void> {
    return new Promise((resolve) => {
      const name = when === 'sends' ? 'commandStarted' : 'commandSucceeded';
      const isMeant = new Set<number>();
      const hear = (event: mongo.CommandStartedEvent | mongo.CommandSucceededEvent): void => {
        if (this.#isDead || !isMeant.has(event.requestId)) return;
        this.die();
        resolve();
      };
      const client = this.connection.getClient();
      client.on('commandStarted', (event) => {
        const isOne = event.commandName === command;
        if (isOne && (!collection || event.command[command] === collection))
          isMeant.add(event.requestId);
      });
      client.on(name, hear);
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
