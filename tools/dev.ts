import '../src/process/harden.js';
import pretty from 'pino-pretty';
import { ConfigError } from '../config/config-error.js';
import { loadConfig } from '../config/load-config.js';
import { hasColours } from '../src/cli/terminal-text.js';
import { type Gateway, startGateway } from '../src/start/compose.js';
import { createLogger } from '../src/process/logger.js';
import { SCOPES } from '../src/domain/scopes.js';
import { createApiClient } from './shared/api-client.js';

/**
 * `npm run dev`: runs the gateway from source and restarts it when a file changes. Its data is in
 * .rollgate-dev. Webhooks may go to this machine; the environment overrides all.
 */
const developmentSettings = (): NodeJS.ProcessEnv => ({
  ROLLGATE_DATA_DIR: './.rollgate-dev',
  ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
  ROLLGATE_WEBHOOKS_RETRY: '1s,5s,30s',
  ...process.env,
});

const prettyLog = () =>
  pretty({
    colorize: hasColours(process.stdout, process.env),
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    sync: true,
  });

const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
  });

const SLUG = 'demo';
const KEYS = `/${SLUG}/api-keys`;

/** Creates the tenant `demo` with a key. Resolves with the key, or undefined if it existed. */
const createDemoTenant = async ({ url, adminToken }: Gateway): Promise<string | undefined> => {
  const operator = createApiClient(() => `${url}/admin/v1/tenants`, adminToken);
  const body = { slug: SLUG, name: 'Demo', seat_capacity: 50, room_provisioning: 'automatic' };
  const tenant = await operator.send('POST', '', { body });
  if (tenant.status !== 201 && !tenant.text.includes('SLUG_TAKEN')) throw new Error(tenant.text);
  const keys = await operator.expect(200, 'GET', KEYS);
  if ((keys.json() as { readonly total: number }).total > 0) return undefined;
  const options = { description: 'Development', scopes: [...SCOPES, 'webhooks'] };
  const created = await operator.expect(201, 'POST', KEYS, options);
  return (created.json() as { readonly key: string }).key;
};

const printAccess = async (gateway: Gateway): Promise<void> => {
  const { url, adminTokenPath } = gateway;
  const key = await createDemoTenant(gateway);
  const lines = [
    '',
    `  Rollgate from source at ${url}`,
    `  Admin token    ${adminTokenPath ?? 'as configured'}`,
    '  CLI            ROLLGATE_DATA_DIR=.rollgate-dev npx tsx src/cli.ts tenant list',
    `  Tenant         ${url}/v1/demo, SCIM at ${url}/v1/demo/scim/v2`,
    `  API key        ${key ?? 'created earlier; create another with "rollgate key create demo"'}`,
    '',
    '',
  ];
  process.stderr.write(lines.join('\n'));
};

const run = async (): Promise<void> => {
  const stopped = untilSignal();
  const env = developmentSettings();
  const loaded = loadConfig({ env, cwd: process.cwd() });
  const log = createLogger(loaded.config.log.level, prettyLog());
  const gateway = await startGateway({ loaded, log, env });
  await printAccess(gateway);
  await stopped;
  await gateway.stop();
};

await run().catch((error: unknown) => {
  process.exitCode = 1;
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
});
