import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openHttpsReceiver } from '../../tooling/https-receiver.js';
import type { Answered, Tally } from './caller.js';
import { DEMO_CERTIFICATES, openCertificates } from '../../tooling/certificate-files.js';
import { type Cleanup, createCleanup } from '../../tooling/cleanup.js';
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
  /** The folder of those that the gateway trusts. */
  readonly certificates: string;
}

/** What everybody who takes part is handed. */
interface Surroundings {
  readonly options: Options;
  readonly stage: Stage;
  readonly cleanUp: Cleanup;
}

const givenGateway = ({ url = '', token, certificates }: Options): Venue => {
  const adminToken = token ?? process.env.ROLLGATE_ADMIN_TOKEN;
  if (!adminToken) throw new DemoFailure('--url needs --token or ROLLGATE_ADMIN_TOKEN.');
  return {
    url: url.replace(/\/+$/, ''),
    adminToken,
    certificates: certificates ?? DEMO_CERTIFICATES,
  };
};

const ownGateway = async ({ options, stage, cleanUp }: Surroundings): Promise<Venue> => {
  const began = performance.now();
  const { dim } = stage.paint;
  const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-demo-'));
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }));
  const certificates = join(dataDir, 'certificates');
  const { authorityPath } = await openCertificates(certificates);
  const adminToken = randomBytes(32).toString('base64url');
  stage.line(dim('Starting a gateway of its own …'));
  const start = { dataDir, adminToken, authorityPath, mongodbUri: options.mongodb };
  const url = await startGateway(start, cleanUp);
  stage.line(dim(`Ready at ${url} after ${secondsSince(began)} s.`));
  return { url, adminToken, certificates };
};

const secondsSince = (began: number): string => ((performance.now() - began) / 1_000).toFixed(1);

const play = async (venue: Venue, { stage, cleanUp }: Surroundings): Promise<Verdict> => {
  const { identity } = await openCertificates(venue.certificates);
  const receiver = await openHttpsReceiver(identity);
  cleanUp.defer(receiver.close);
  const tally: Tally = { requests: 0 };
  stage.chapter('Getting ready', 'a tenant, three keys, a webhook');
  const cast = await rehearse({ ...venue, stage, tally, cleanUp, receiver });
  await playDay(cast);
  const lastSeq = await takeStock(cast);
  const { delivered, expected } = cast.mailbox;
  return judge({ requests: tally.requests, expected, delivered, lastSeq });
};

/** The gateway's own account of the day, to be held against what arrived. */
const takeStock = async ({ operator, slug, stage, clearAway }: Cast): Promise<number> => {
  stage.chapter('Taking stock', "what the gateway's own log says");
  const lastOf = ({ commands = [] }: Answered): number =>
    Math.max(0, ...commands.map(({ events }) => events?.last_seq ?? 0));
  const log = await operator('GET', `/tenants/${slug}/commands`, {
    query: { limit: 500 },
    expect: 200,
    say: (answer) => `${answer.total ?? '?'} commands, events up to seq ${lastOf(answer)}`,
  });
  await clearAway();
  return lastOf(log);
};

const run = async (surroundings: Surroundings): Promise<boolean> => {
  const { options, stage } = surroundings;
  const began = performance.now();
  stage.line(stage.paint.bold('Rollgate: a day of two identity providers'));
  const isGiven = options.url !== undefined;
  const venue = isGiven ? givenGateway(options) : await ownGateway(surroundings);
  const verdict = await play(venue, surroundings);
  showVerdict(verdict, secondsSince(began), stage);
  return verdict.problems.length === 0;
};

const cleanUpOnSignal = (cleanUp: Cleanup, stage: Stage): void => {
  const leave = (): void => {
    stage.line('Interrupted: clearing away …');
    stage.close();
    void cleanUp.run().finally(() => process.exit(130));
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
};

const main = async (): Promise<number> => {
  const stage = stageOnStandardOutput();
  const options = readOptions(process.argv.slice(2));
  if (options.help === true) {
    stage.line(HELP);
    return 0;
  }
  const cleanUp = createCleanup();
  cleanUpOnSignal(cleanUp, stage);
  try {
    return (await run({ options, stage, cleanUp })) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof DemoFailure)) throw error;
    stage.problem(error.message);
    return 1;
  } finally {
    await cleanUp.run();
  }
};

process.exitCode = await main();
