import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createPaint, hasColours } from '../../src/cli/terminal-text.js';
import { createAuthority, type Identity } from '../shared/authority.js';
import { type Cleanup, runWithCleanup, temporaryFolder } from '../shared/cleanup.js';
import { startGatewayProcess } from '../shared/gateway-process.js';
import { openHttpsReceiver } from '../shared/https-receiver.js';
import { checkResult, printSummary } from './demo-result.js';
import { type DemoConnector, prepareConnector, runConnectorSteps } from './connector.js';
import { DemoError, type ResponseBody } from './demo-client.js';
import { createOutput, type Output } from './output.js';
import { type DemoTenant, setUp } from './set-up.js';
import { runSteps } from './steps.js';

const HELP = `npm run demo [-- options]

Starts a gateway and an HTTPS receiver, sends the requests that Okta and Entra send, and prints and
verifies every webhook. Then a connector reads a CSV file. Removes everything at the end.

  --keep           keep the tenant; the gateway runs until Ctrl-C
  --mongodb <uri>  database of the gateway; default: embedded
`;

const { values: options } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    mongodb: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

interface Gateway {
  readonly url: string;
  readonly adminToken: string;
  /** A certificate that the gateway trusts. */
  readonly identity: Identity;
  readonly connector: DemoConnector;
}

const startGateway = async ({ line, paint }: Output, cleanup: Cleanup): Promise<Gateway> => {
  const began = performance.now();
  const dataDir = await temporaryFolder('demo', cleanup);
  const authority = await createAuthority('Rollgate demo');
  const identity = await authority.issue(['127.0.0.1', 'localhost']);
  const authorityPath = join(dataDir, 'authority.pem');
  await writeFile(authorityPath, authority.certificate);
  const adminToken = randomBytes(32).toString('base64url');
  const connector = await prepareConnector(dataDir);
  line(paint.dim('Starting a gateway …'));
  const { url, stop } = await startGatewayProcess({
    ROLLGATE_CONFIG: connector.path,
    ROLLGATE_DATA_DIR: dataDir,
    ROLLGATE_ADMIN_TOKEN: adminToken,
    ROLLGATE_LOG_LEVEL: 'warn',
    ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8',
    ROLLGATE_WEBHOOKS_CA: authorityPath,
    ROLLGATE_WEBHOOKS_RETRY: '1s,2s',
    ...(options.mongodb !== undefined && { ROLLGATE_MONGODB_URI: options.mongodb }),
  }).catch((error: unknown) => {
    throw new DemoError(error instanceof Error ? error.message : String(error));
  });
  cleanup.defer(stop);
  line(paint.dim(`Ready at ${url} after ${secondsSince(began)} s.`));
  return { url, adminToken, identity, connector };
};

const secondsSince = (began: number): string => ((performance.now() - began) / 1_000).toFixed(1);

/** The last seq in the tenant's provisioning log. */
const readLastSeq = async ({ operator, slug, output }: DemoTenant): Promise<number> => {
  output.section('Provisioning log', 'every command, with the events that it caused');
  const lastSeqIn = ({ commands = [] }: ResponseBody): number =>
    Math.max(0, ...commands.map(({ events }) => events?.last_seq ?? 0));
  const log = await operator('GET', `/tenants/${slug}/commands`, {
    query: { limit: 500 },
    expect: 200,
    describe: (response) =>
      `${response.commands?.length ?? '?'} commands, events up to seq ${lastSeqIn(response)}`,
  });
  return lastSeqIn(log);
};

/** Deletes the tenant at the first call. */
const tenantDeletion = ({
  operator,
  slug,
}: Pick<DemoTenant, 'operator' | 'slug'>): (() => Promise<void>) => {
  let isDeleted = false;
  return async () => {
    if (isDeleted) return;
    isDeleted = true;
    await operator('DELETE', `/tenants/${slug}`, { expect: 204, describe: () => 'deleted tenant' });
  };
};

const keepTenant = async (
  { slug, appKey, output }: DemoTenant,
  { url, adminToken }: Gateway,
): Promise<never> => {
  output.line(`
Kept tenant ${slug}.
  dashboard    ${url.replace('127.0.0.1', 'localhost')}/dashboard/, sign in with the admin token
  API          ${url}/v1/${slug}
  API key      ${appKey}
  admin token  ${adminToken}
  reference    ${url}/docs/`);
  output.line('\nPress Ctrl-C to stop the gateway.');
  return new Promise(() => undefined);
};

const run = async (output: Output, cleanup: Cleanup): Promise<number> => {
  const began = performance.now();
  const { bold, dim } = output.paint;
  output.line(bold('Rollgate demo: Okta, Entra and an HR system provision users'));
  output.line(
    dim(
      "Each line is a request of Okta, Entra, an integrator's app or the operator, or a webhook.",
    ),
  );
  const gateway = await startGateway(output, cleanup);
  const receiver = await openHttpsReceiver(gateway.identity);
  cleanup.defer(receiver.close);
  const count = { requests: 0 };
  const tenant = await setUp({ ...gateway, output, count, receiver });
  const deleteTenant = tenantDeletion(tenant);
  if (!options.keep) cleanup.defer(deleteTenant);
  await runSteps(tenant);
  const lastSeq = await readLastSeq(tenant);
  const { operator } = tenant;
  const { connector } = gateway;
  await runConnectorSteps({ ...connector, ...gateway, operator, output });
  if (!options.keep) {
    await deleteTenant();
    await tenantDeletion({ operator, slug: connector.slug })();
  }
  const { deliveries, expected } = tenant.inbox;
  const result = checkResult({ ...count, expected, deliveries, lastSeq });
  printSummary(result, secondsSince(began), output);
  if (options.keep) await keepTenant(tenant, gateway);
  return result.problems.length === 0 ? 0 : 1;
};

const main = (): Promise<number> => {
  const paint = createPaint(hasColours(process.stdout, process.env));
  const output = createOutput((text) => void process.stdout.write(text), paint);
  return runWithCleanup(output.line, async (cleanup) => {
    try {
      return await run(output, cleanup);
    } catch (error) {
      if (!(error instanceof DemoError)) throw error;
      output.problem(error.message);
      return 1;
    }
  });
};

if (options.help) process.stdout.write(HELP);
else process.exitCode = await main();
