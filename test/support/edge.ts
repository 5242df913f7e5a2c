import { randomUUID } from 'node:crypto';
import type { CommandOf, CommandType, Results } from '../../src/domain/commands.js';
import type { ApiKeyId, TenantId } from '../../src/domain/kernel/ids.js';
import { type Scope, SCOPES } from '../../src/domain/scopes.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { generateApiKey } from '../../src/http/access/credentials.js';
import { type AppParts, createApp, type Edge } from '../../src/http/app.js';
import { createPrometheusMetrics } from '../../src/http/ops/prometheus-metrics.js';
import type { ScimParts } from '../../src/http/scim/scim-interface.js';
import { createServiceState, type ServiceState } from '../../src/http/service-state.js';
import { type AwaitJobs, createJobWaits } from '../../src/pipeline/jobs.js';
import { type Pipeline, startPipeline } from '../../src/pipeline/pipeline.js';
import { newId, resultOf, type Submission, type Submit } from '../../src/pipeline/submit.js';
import type { PreviewCommand } from '../../src/pipeline/preview.js';
import { createSecretBox } from '../../src/plugin/host/secret-box.js';
import type { AdminTokens } from '../../src/ports/operators.js';
import { NO_EXTENSIONS } from '../../src/routes/extensions.js';
import { createReadSystem } from '../../src/start/read-system.js';
import { connect } from '../../src/store/connect.js';
import { openStore, type Store } from '../../src/store/open-store.js';
import type { DocumentOf } from '../../src/store/tables/collection.js';
import { type Collections, collectionsOf } from '../../src/store/tables/collections.js';
import {
  type ApiKeyDocument,
  fromTenantState,
  type tenants,
  type tenantState,
} from '../../src/store/tables/tenants.js';
import { databaseUri } from './database.js';
import { createFakeLog, type LogLine } from './fake-log.js';
import { PASSIVE_RULES } from './no-plugins.js';
import { TEST_SECRET_KEY, TEST_VAULT } from './sms.js';

export const ADMIN_TOKEN = 'admin-token-of-the-tests-0123456789';
export const PUBLIC_URL = 'http://gateway.test';
export const CANONICAL = '/v1/acme/scim/v2';
/** SCIM is also served at the tenant's root (decisions.md 1). */
export const MOUNTS = [CANONICAL, '/v1/acme'] as const;

const HOUR = 3_600_000;
/** Those of a key, as tests expect them; tests share the admin token, which they must not exhaust. */
const RATE_LIMITS = { perMinute: 10_000, operatorsPerMinute: 1_000_000 };

/** The HTTP application of a gateway with one tenant, "acme", over the real pipeline and store. */
export interface TestApp extends Edge {
  readonly tenant: Tenant;
  /** An API key of it with every scope. */
  readonly key: string;
  readonly keyId: ApiKeyId;
  readonly lines: readonly LogLine[];
  readonly state: ServiceState;
  /** What the app has submitted, and what it has previewed. */
  readonly submissions: Submission[];
  readonly previews: Submission[];
  readonly parts: AppParts & { readonly scim: ScimParts };
  readonly store: Store;
  readonly collections: Collections;
  /** Runs a command, by default of "acme", without the app. */
  readonly run: <Type extends CommandType>(
    command: CommandOf<Type>,
    tenantId?: TenantId,
  ) => Promise<Results[Type]>;
  /** Adds a tenant, by default "globex". */
  readonly addTenant: (more?: Partial<CommandOf<'tenant.create'>>) => Promise<Tenant>;
  readonly addKey: (tenant: Tenant, scopes?: readonly Scope[]) => Promise<NewKey>;
  /** Another app for the same tenant, with other parts. */
  readonly with: (more?: Partial<AppParts>) => TestApp;
}

interface NewKey {
  readonly key: string;
  readonly id: ApiKeyId;
}

/** What the tests of a process share: collections and indexes are created once. */
interface Foundation {
  readonly instanceId: string;
  readonly collections: Collections;
  readonly store: Store;
  readonly pipeline: Pipeline;
  readonly awaitJobs: AwaitJobs;
  /** The apps of the last test. */
  readonly apps: Edge[];
  readonly pattern: TenantPattern;
}

type TenantState = DocumentOf<typeof tenantState>;

/** A tenant and a key of it, as the pipeline has stored them. */
interface TenantPattern {
  readonly name: DocumentOf<typeof tenants>;
  readonly state: TenantState;
  readonly key: ApiKeyDocument;
}

const openFoundation = async (): Promise<Foundation> => {
  const { log } = createFakeLog();
  const instanceId = randomUUID();
  const client = await connect(databaseUri(`edge-${instanceId}`));
  const store = await openStore(client, {
    instanceId,
    secrets: createSecretBox(TEST_SECRET_KEY),
    keepEventsMs: HOUR,
    keepLogMs: HOUR,
    rateLimits: RATE_LIMITS,
    log,
  });
  const apps: Edge[] = [];
  const pipeline = startPipeline({ store: store.commits, rules: PASSIVE_RULES, log });
  // As compose.ts does.
  pipeline.events$.subscribe({
    next: (event) => {
      for (const app of apps) {
        app.eventCommitted(event);
        if (event.name === 'group.created') app.keys.invalidateTenant(event.tenantId);
      }
      if (event.name.startsWith('group.')) store.groupNames.forget(event.tenantId);
    },
    error: (error: unknown) => log.error({ err: error }, 'the event stream has failed'),
  });
  const awaitJobs = createJobWaits({
    ...{ findByIds: store.jobs.findByIds, steps$: pipeline.jobSteps$, log, waitMs: HOUR },
  });
  const collections = collectionsOf(client);
  const pattern = await createPattern(pipeline, collections);
  return { instanceId, collections, store, pipeline, awaitJobs, apps, pattern };
};

const createPattern = async (
  pipeline: Pipeline,
  { tenants, tenantState, apiKeys }: Collections,
): Promise<TenantPattern> => {
  const { addTenant, addKey } = commandsOn({ pipeline });
  const { id } = await addKey(await addTenant());
  const [name, state, key] = await Promise.all([
    tenants.findOne({}),
    tenantState.findOne({}),
    apiKeys.findOne({ _id: id }),
  ]);
  if (!name || !state || !key) throw new Error('The tenant was not stored.');
  return { name, state, key };
};

/** A tenant like the pattern: with three documents instead of two commits, which each test would pay. */
const copyTenant = async (
  { pattern, collections: { tenants, tenantState, apiKeys } }: Foundation,
  settings: object,
) => {
  const { key, prefix, hash } = generateApiKey();
  const [_id, keyId, slug] = [newId<TenantId>(), newId<ApiKeyId>(), 'acme'];
  const state = { ...pattern.state, _id, slug, ...settings };
  await Promise.all([
    tenants.insertOne({ ...pattern.name, _id, slug, createdAt: new Date() }),
    tenantState.insertOne(state),
    apiKeys.insertOne({ ...pattern.key, _id: keyId, tenant: _id, prefix, hash }),
  ]);
  return { tenant: fromTenantState(state), key, keyId };
};

/**
 * Deletes what belongs to no tenant; what belongs to one that is deleted is not found. Only an app with
 * an address of its own is asked for sign-ins and operators: there are none over plain HTTP.
 */
const clear = async (
  { collections, apps }: Foundation,
  { publicUrl }: Partial<AppParts>,
): Promise<void> => {
  await Promise.all(apps.splice(0).map((app) => app.stop()));
  const { tenants, operators, operatorSessions, passkeys, signInLinks, operatorLog, settings } =
    collections;
  const ofSignIns = [operators, operatorSessions, passkeys, signInLinks, operatorLog, settings];
  await Promise.all(
    [tenants, ...(publicUrl ? ofSignIns : [])].map((collection) => collection.deleteMany({})),
  );
};

/** Admin tokens with a plain hash. */
const adminTokens = (): AdminTokens => {
  let valid = ADMIN_TOKEN;
  const hashOf = (token: string): string => `hash of ${token}`;
  return {
    hashOf,
    findHash: () => Promise.resolve(hashOf(valid)),
    rotate: (hash) => {
      if (hash !== hashOf(valid)) return Promise.resolve(undefined);
      valid = `${valid}-rotated`;
      return Promise.resolve({ token: valid, path: '/data/admin-token', wasConfigured: false });
    },
  };
};

let foundation: Promise<Foundation> | undefined;

/**
 * Opens an app with a new tenant "acme", in the database of this process. Nothing is left of the apps
 * and tenants before it: a test or a file has one, and gets others by `with`.
 */
export const openEdge = async (
  more: Partial<AppParts> = {},
  settings: Partial<Pick<TenantState, 'roomProvisioning' | 'scim'>> = {},
): Promise<TestApp> => {
  const shared = await (foundation ??= openFoundation());
  await clear(shared, more);
  const commands = commandsOn(shared);
  const { tenant, key, keyId } = await copyTenant(shared, settings);
  const serve = (changed: Partial<AppParts>): TestApp => {
    const { log, lines } = createFakeLog();
    const state = createServiceState();
    const { pipeline, store, collections, apps } = shared;
    const submissions: Submission[] = [];
    const previews: Submission[] = [];
    const parts = {
      ...{ ...partsOf(shared), log, state, metrics: createPrometheusMetrics(log) },
      submit: noting(submissions, pipeline.submit),
      preview: noting(previews, pipeline.preview),
      ...changed,
    };
    const edge = createApp(parts);
    apps.push(edge);
    return {
      ...{ ...edge, ...commands, tenant, key, keyId, lines, state, submissions, previews },
      ...{ parts, store, collections },
      run: (command, tenantId = tenant.id) => commands.run(command, tenantId),
      with: (other = {}) => serve({ ...changed, ...other }),
    };
  };
  return serve(more);
};

/** A port that keeps the names of the methods that are called. */
export const watched = <Port extends object>(port: Port) => {
  const calls: string[] = [];
  const get = (target: Port, name: keyof Port & string) => {
    calls.push(name);
    return target[name];
  };
  return { calls, port: new Proxy(port, { get }) };
};

/** Keeps what is submitted. */
const noting = <Send extends Submit | PreviewCommand>(kept: Submission[], send: Send): Send =>
  ((submission: Submission) => {
    kept.push(submission);
    return send(submission);
  }) as Send;

const commandsOn = ({ pipeline }: Pick<Foundation, 'pipeline'>) => {
  const run = async <Type extends CommandType>(
    command: CommandOf<Type>,
    tenantId: TenantId,
  ): Promise<Results[Type]> =>
    resultOf(
      await pipeline.submit<Type>({
        ...{ tenantId, command, source: 'admin', requestId: 'request-1' },
        actor: { kind: 'operator', name: 'test' },
      }),
    );
  const addTenant: TestApp['addTenant'] = (given = {}) =>
    run<'tenant.create'>(
      {
        ...{ type: 'tenant.create', slug: 'globex', name: 'Acme Rescue', seatCapacity: null },
        ...{ defaultRole: 'member', roomProvisioning: 'manual' },
        ...given,
      },
      newId<TenantId>(),
    );
  const addKey: TestApp['addKey'] = async (tenant, scopes = SCOPES) => {
    const { key, prefix, hash } = generateApiKey();
    const id = newId<ApiKeyId>();
    const made = { keyId: id, hash, prefix, scopes, description: 'test' };
    await run<'api-key.create'>({ type: 'api-key.create', ...made }, tenant.id);
    return { key, id };
  };
  return { run, addTenant, addKey };
};

/** What all apps have. */
const partsOf = ({ store, pipeline, awaitJobs, instanceId }: Foundation) => {
  const plugins = () => Promise.resolve([]);
  const program = { version: '0.0.0', node: process.versions.node, instanceId };
  const { databaseTime } = store.instances;
  return {
    ...{ ...store, isBusy: pipeline.isBusy, awaitJobs, numbers: TEST_VAULT, plugins },
    system: createReadSystem({
      ...{ ...program, ...store.system, plugins, databaseTime, now: () => new Date() },
      ...{ isEmbedded: true, publicUrl: PUBLIC_URL },
    }),
    ...{ failedAuthenticationsPerMinute: 300, trustedProxies: [], adminTokens: adminTokens() },
    sessionLifetime: { idleTimeout: HOUR / 2, maxAge: 12 * HOUR },
    operatorSignIn: undefined,
    branding: { name: null, logo: null, accent: null },
    seal: createSecretBox(TEST_SECRET_KEY),
    ...{ now: databaseTime, publicUrl: () => PUBLIC_URL, version: '0.0.0' },
    extensions: NO_EXTENSIONS,
    scim: { ...store, maxBulkOperations: 1_000 },
  };
};
