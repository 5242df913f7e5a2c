import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openHttpsReceiver } from '../receiver/https-receiver.js';
import { openCertificates } from './certificates.js';
import type { Tally } from './caller.js';
import { type Cast, playDay } from './day.js';
import { DemoFailure } from './demo-failure.js';
import { rehearse } from './rehearse.js';
import { showVerdict } from './show-verdict.js';
import { type Stage, stageOnStandardOutput } from './stage.js';
import { startGateway } from './start-gateway.js';
import { judge, type Verdict } from './verdict.js';

const HELP = `npm run demo [-- options]

A day of two identity providers against a real gateway: joiners, a full house, changes, leavers
and a come-back, and every webhook of it received and verified. It starts a gateway of its own, in
a temporary folder, and leaves nothing behind.

  --url <address>          play against this gateway instead; its tenant is deleted afterwards
  --token <token>          that gateway's admin token; else ROLLGATE_ADMIN_TOKEN
  --certificates <folder>  the demo's certificates that it trusts (.rollgate-dev/certificates)
  --mongodb <uri>          let the gateway of its own use this database
`;

const OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  certificates: { type: 'string' },
  mongodb: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Options = ReturnType<typeof readOptions>;
const readOptions = (words: readonly string[]) =>
  parseArgs({ args: [...words], options: OPTIONS }).values;

interface Venue {
  readonly url: string;
  readonly adminToken: string;
  readonly certificates: string;
  readonly close: () => Promise<void>;
}

const openVenue = (options: Options, stage: Stage): Promise<Venue> =>
  options.url === undefined ? ownGateway(options, stage) : Promise.resolve(givenGateway(options));

const givenGateway = ({ url = '', token, certificates }: Options): Venue => {
  const adminToken = token ?? process.env.ROLLGATE_ADMIN_TOKEN;
  if (!adminToken) throw new DemoFailure('--url needs --token or ROLLGATE_ADMIN_TOKEN.');
  return {
    url: url.replace(/\/+$/, ''),
    adminToken,
    certificates: certificates ?? join('.rollgate-dev', 'certificates'),
    close: () => Promise.resolve(),
  };
};

const ownGateway = async ({ mongodb }: Options, stage: Stage): Promise<Venue> => {
  const began = performance.now();
  const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-demo-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  const certificates = join(dataDir, 'certificates');
  const { authorityPath } = await openCertificates(certificates);
  const adminToken = randomBytes(32).toString('base64url');
  stage.line(stage.paint.dim('Starting a gateway of its own …'));
  const start = { dataDir, adminToken, authorityPath, mongodbUri: mongodb };
  const gateway = await startGateway(start).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  stage.line(stage.paint.dim(`Ready at ${gateway.url} after ${seconds} s.`));
  return { url: gateway.url, adminToken, certificates, close: () => gateway.stop().then(remove) };
};

const play = async (venue: Venue, stage: Stage): Promise<Verdict> => {
  const { identity } = await openCertificates(venue.certificates);
  const receiver = await openHttpsReceiver(identity);
  const tally: Tally = { requests: 0 };
  try {
    const cast = await rehearse({ ...venue, stage, tally, receiver });
    await playDay(cast);
    return await takeStock(cast, tally);
  } finally {
    await receiver.close();
  }
};

/** The gateway's own account of the day, to be held against what arrived. */
const takeStock = async ({ operator, mailbox, slug, stage }: Cast, tally: Tally) => {
  stage.chapter('Taking stock', "what the gateway's own log says");
  const lastOf = (commands: readonly { readonly events: { readonly last_seq: number } | null }[]) =>
    Math.max(0, ...commands.map(({ events }) => events?.last_seq ?? 0));
  const { commands = [] } = await operator('GET', `/tenants/${slug}/commands`, {
    query: { limit: 500 },
    expect: 200,
    say: (log) => `${log.total as number} commands, events up to seq ${lastOf(log.commands ?? [])}`,
  });
  await operator('DELETE', `/tenants/${slug}`, { expect: 204, say: () => 'cleared away' });
  const { delivered, expected } = mailbox;
  return judge({ requests: tally.requests, expected, delivered, lastSeq: lastOf(commands) });
};

const run = async (options: Options, stage: Stage): Promise<boolean> => {
  const began = performance.now();
  stage.line(stage.paint.bold('Rollgate: a day of two identity providers'));
  const venue = await openVenue(options, stage);
  const closeOnSignal = (): void => void venue.close().finally(() => process.exit(130));
  process.once('SIGINT', closeOnSignal).once('SIGTERM', closeOnSignal);
  try {
    stage.chapter('Getting ready', 'a tenant, three keys, a webhook');
    const verdict = await play(venue, stage);
    showVerdict(verdict, (performance.now() - began) / 1_000, stage);
    return verdict.problems.length === 0;
  } finally {
    await venue.close();
  }
};

const main = async (): Promise<number> => {
  const stage = stageOnStandardOutput();
  const options = readOptions(process.argv.slice(2));
  if (options.help === true) {
    stage.line(HELP);
    return 0;
  }
  try {
    return (await run(options, stage)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof DemoFailure)) throw error;
    stage.problem(error.message);
    return 1;
  }
};

process.exitCode = await main();
