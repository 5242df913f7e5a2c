import '../src/harden.js';
import pretty from 'pino-pretty';
import { ConfigError } from '../config/config-error.js';
import { loadConfig } from '../config/load-config.js';
import { hasColours } from '../src/cli/paint.js';
import { type Gateway, startGateway } from '../src/compose.js';
import { createLogger } from '../src/logger.js';
import { openCertificates, DEMO_CERTIFICATES } from '../tooling/certificate-files.js';
import { openDemoTenant } from './open-demo-tenant.js';

/** `npm run dev`: the gateway from source, restarted when a file changes; data in .rollgate-dev. */

/** Any of them may be set otherwise; the webhooks' make `npm run demo -- --url …` work against it. */
const developmentSettings = async (): Promise<NodeJS.ProcessEnv> => ({
  ROLLGATE_DATA_DIR: './.rollgate-dev',
  ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
  ROLLGATE_WEBHOOKS_CA: (await openCertificates(DEMO_CERTIFICATES)).authorityPath,
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

const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
  });

const greet = async (gateway: Gateway): Promise<void> => {
  const { url, adminToken, adminTokenPath } = gateway;
  const key = await openDemoTenant({ url, adminToken });
  const keyLine = key === undefined ? 'made before: see "rollgate key list demo"' : key;
  const lines = [
    '',
    `  Rollgate from source at ${url}`,
    `  Admin token    ${adminTokenPath ?? 'as configured'}`,
    '  Operate it     ROLLGATE_DATA_DIR=.rollgate-dev npx tsx src/cli.ts tenant list',
    `  Tenant         ${url}/v1/demo, SCIM at ${url}/v1/demo/scim/v2`,
    `  Its key        ${keyLine}`,
    '',
    '',
  ];
  process.stderr.write(lines.join('\n'));
};

const run = async (): Promise<void> => {
  const stop = signalled();
  const env = await developmentSettings();
  const loaded = loadConfig({ env, cwd: process.cwd() });
  const log = createLogger(loaded.config.log.level, prettyLog());
  const gateway = await startGateway({ loaded, log, env });
  await greet(gateway);
  await stop;
  await gateway.stop();
};

await run().catch((error: unknown) => {
  process.exitCode = 1;
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
});
