import { randomBytes } from 'node:crypto';
import { createPaint, hasColours } from '../../src/cli/terminal-text.js';
import { temporaryFolder } from '../shared/cleanup.js';
import {
  defineScenario,
  flag,
  MONGODB,
  openRunContext,
  type Run,
} from '../shared/faults/scenario.js';
import type { HttpsReceiver } from '../shared/https-receiver.js';
import { prepareConnector, runConnectorSteps } from './connector.js';
import { createDemoClient, type DemoClient, DemoError, type ResponseBody } from './demo-client.js';
import { checkResult, printSummary } from './demo-result.js';
import { createOutput, type Output } from './output.js';
import { type DemoTenant, FIRST_CAPACITY, runSteps } from './steps.js';
import { createInbox, type WebhookInbox } from './webhook-inbox.js';

const secondsSince = (began: number): string => ((performance.now() - began) / 1_000).toFixed(1);

const SCOPES = {
  Okta: ['scim:read', 'scim:write'],
  Entra: ['scim:read', 'scim:write'],
  App: ['api:users:read', 'api:rooms:read', 'api:rooms:write', 'usage', 'webhooks'],
} as const;

const missing = (field: string): never => {
  throw new DemoError(`The response has no "${field}".`);
};

const registerWebhook = async (
  app: DemoClient,
  receiver: HttpsReceiver,
  output: Output,
): Promise<WebhookInbox> => {
  const url = `https://127.0.0.1:${receiver.port}/webhooks`;
  const body = { url, events: ['*'], description: 'Demo receiver' };
  const about = 'created a webhook for all events';
  const created = await app('POST', '/webhooks', 201, about, body);
  const inbox = createInbox(receiver, created.secret ?? missing('secret'), output);
  const path = `/webhooks/${created.id ?? missing('id')}/test`;
  const test = await app('POST', path, 200, ({ delivered }) =>
    delivered === true ? 'test delivered' : 'test not delivered',
  );
  if (test.delivered !== true)
    throw new DemoError(`The gateway cannot reach the demo's receiver: ${String(test.error)}`);
  await inbox.expect('webhook.test');
  return inbox;
};

/** Creates a tenant with a key for each client, and a webhook. */
const setUp = async (
  url: string,
  receiver: HttpsReceiver,
  output: Output,
  open: (name: string, base: string, token: string) => DemoClient,
  operator: DemoClient,
): Promise<DemoTenant & { readonly appKey: string }> => {
  output.section('Setup', 'a tenant, an API key for each client, a webhook');
  const slug = `harbour-${randomBytes(3).toString('hex')}`;
  const body = { slug, name: 'Harbour Rescue', seat_capacity: FIRST_CAPACITY };
  await operator('POST', '/tenants', 201, `tenant ${slug}, ${FIRST_CAPACITY} seats`, body);
  const createKey = async (name: keyof typeof SCOPES): Promise<string> => {
    const wanted = { description: name, scopes: SCOPES[name] };
    const about = `created a key for ${name}`;
    const { key } = await operator('POST', `/tenants/${slug}/api-keys`, 201, about, wanted);
    return key ?? missing('key');
  };
  const base = `${url}/v1/${slug}`;
  const okta = open('Okta', `${base}/scim/v2`, await createKey('Okta'));
  const entra = open('Entra', `${base}/scim/v2`, await createKey('Entra'));
  const appKey = await createKey('App');
  const app = open('App', base, appKey);
  const inbox = await registerWebhook(app, receiver, output);
  return { slug, output, inbox, operator, okta, entra, app, appKey };
};

/** The last seq in the tenant's provisioning log. */
const readLastSeq = async ({ operator, slug, output }: DemoTenant): Promise<number> => {
  output.section('Provisioning log', 'every command, with the events that it caused');
  const lastSeqIn = ({ commands = [] }: ResponseBody): number =>
    Math.max(0, ...commands.map(({ events }) => events?.last_seq ?? 0));
  const log = await operator(
    'GET',
    `/tenants/${slug}/commands?limit=500`,
    200,
    (found) => `${found.commands?.length ?? '?'} commands, events up to seq ${lastSeqIn(found)}`,
  );
  return lastSeqIn(log);
};

const runDemo = async (
  { keep, mongodb }: { readonly keep: boolean; readonly mongodb: string },
  run: Run,
  output: Output,
): Promise<readonly string[]> => {
  const began = performance.now();
  const { bold, dim } = output.paint;
  output.line(bold('Rollgate demo: Okta, Entra and an HR system provision users'));
  output.line(
    dim(
      "Each line is a request of Okta, Entra, an integrator's app or the operator, or a webhook.",
    ),
  );
  output.line(dim('Starting a gateway …'));
  const context = await openRunContext(mongodb, run);
  const connector = await prepareConnector(await temporaryFolder('demo', run.cleanup));
  const adminToken = randomBytes(32).toString('base64url');
  const { url } = await context.startGateway({
    ROLLGATE_CONFIG: connector.path,
    ROLLGATE_ADMIN_TOKEN: adminToken,
    ROLLGATE_WEBHOOKS_RETRY: '1s,2s',
  });
  output.line(dim(`Ready at ${url} after ${secondsSince(began)} s.`));

  const count = { requests: 0 };
  const open = (name: string, base: string, token: string): DemoClient =>
    createDemoClient({ name, base, token }, output, count);
  const operator = open('operator', `${url}/admin/v1`, adminToken);
  const tenant = await setUp(url, context.receiver, output, open, operator);
  await runSteps(tenant);
  const lastSeq = await readLastSeq(tenant);
  await runConnectorSteps({ ...connector, url, adminToken, operator, output });
  if (!keep)
    for (const slug of [tenant.slug, connector.slug])
      await operator('DELETE', `/tenants/${slug}`, 204, 'deleted tenant');
  const { deliveries, expected } = tenant.inbox;
  const result = checkResult({ ...count, expected, deliveries, lastSeq });
  printSummary(result, secondsSince(began), output);
  if (!keep) return result.problems;
  output.line(`
Kept the tenants ${tenant.slug} and ${connector.slug} with their data. Sign in with the admin token:
  dashboard    ${url.replace('127.0.0.1', 'localhost')}/dashboard/t/${tenant.slug}
  API          ${url}/v1/${tenant.slug}
  API key      ${tenant.appKey}
  admin token  ${adminToken}
  reference    ${url}/docs/`);
  output.line('\nPress Ctrl-C to stop the gateway.');
  return new Promise(() => undefined);
};

const demo = defineScenario({
  name: 'demo',
  summary: `Starts a gateway and an HTTPS receiver, sends the requests that Okta and Entra send, and prints and
verifies every webhook. Then a connector reads a CSV file. Removes everything at the end.`,
  options: {
    keep: flag('keep the tenants with their data, to explore; the gateway runs until Ctrl-C'),
    mongodb: MONGODB,
  },
  success: 'Demo passed.',
  run: async (options, run) => {
    const paint = createPaint(hasColours(process.stdout, process.env));
    const output = createOutput((text) => void process.stdout.write(text), paint);
    const problems = await runDemo(options, run, output).catch((error: unknown) => {
      if (error instanceof DemoError) return [error.message];
      throw error;
    });
    return { problems };
  },
});

process.exitCode = await demo.main(process.argv.slice(2));
