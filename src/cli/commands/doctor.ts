import type { Command } from 'commander';
import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../../../config/config-error.js';
import type { Config } from '../../../config/load-config.js';
import type { Finding } from '../../doctor/diagnose.js';
import { inspectConfig, loadPlugins } from '../../check-config.js';
import { AlreadyTold, CommandFailure, EXIT, type ExitCode } from '../command-failure.js';
import { findAddress, findGateway } from '../gateway-access.js';
import { addExamples, addHelpSection } from '../help.js';
import { isLoopback } from '../is-loopback.js';
import { parseHostAndPort } from '../parse-argument.js';
import { styleOf } from '../session.js';
import { findingsTable, summaryOf } from '../show-findings.js';
import type { World } from '../world.js';

const Options = z.object({
  config: z.string().optional(),
  dataDir: z.string().optional(),
  egressHost: z.object({ host: z.string(), port: z.number() }).optional(),
  url: z.string().optional(),
  token: z.string().optional(),
});

type Options = z.output<typeof Options>;

interface Settings {
  /** Undefined where not even the file can be read. */
  readonly config: Config | undefined;
  readonly problems: readonly ConfigProblem[];
}

/** With mistakes in some settings, what depends on the others can still be looked at. */
const readSettings = async (world: World): Promise<Settings> => {
  try {
    const { loaded, problems } = inspectConfig(world, await loadPlugins());
    return { config: loaded?.config, problems };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: undefined, problems: error.problems };
  }
};

/** The reason, where there is no address or token: that is a finding, not the end. */
const orMissing = <Found>(find: () => Found): Found | { readonly missing: string } => {
  try {
    return find();
  } catch (error) {
    if (error instanceof ConfigError) return { missing: 'The configuration cannot be read.' };
    if (error instanceof CommandFailure) return { missing: error.more[0] ?? error.message };
    throw error;
  }
};

const gatewayPlace = (options: Options, world: World) => ({
  address: orMissing(() => {
    const { url, urlFrom } = findAddress(options, world);
    const isConfidential = url.startsWith('https:') || isLoopback(url);
    return { url, isGiven: urlFrom !== 'the configuration', isConfidential };
  }),
  token: orMissing(() => {
    const { token, tokenFrom } = findGateway(options, world);
    return { value: token, from: tokenFrom };
  }),
});

/** As a gateway that is started with these options sees it. */
const worldWith = ({ config, dataDir }: Options, world: World): World => ({
  ...world,
  env: {
    ...world.env,
    ...(config !== undefined && { ROLLGATE_CONFIG: config }),
    ...(dataDir !== undefined && { ROLLGATE_DATA_DIR: dataDir }),
  },
});

/** Other commands' 2 means wrong usage; here it is the worse of two kinds of bad news. */
const FAILURES = 2;
const WARNINGS = 1;

const exitCodeOf = (findings: readonly Finding[]): ExitCode => {
  if (findings.some(({ status }) => status === 'FAIL')) return FAILURES;
  const isWarning = ({ status, isAdvice }: Finding): boolean =>
    status === 'WARN' && isAdvice !== true;
  return findings.some(isWarning) ? WARNINGS : EXIT.ok;
};

const print = (findings: readonly Finding[], command: Command, { out }: World): void => {
  const style = styleOf(command);
  if (style === 'json') out.write(`${JSON.stringify(findings, null, 2)}\n`);
  else if (style === 'people')
    out.write(`${findingsTable(findings, out)}\n${summaryOf(findings)}\n`);
  else
    out.write(
      findings
        .filter(isAmiss)
        .map(({ check }) => `${check}\n`)
        .join(''),
    );
};

const isAmiss = ({ status }: Finding): boolean => status === 'WARN' || status === 'FAIL';

export const addDoctorCommand = (program: Command, world: World): void => {
  const doctor = program
    .command('doctor')
    .summary('say what is wrong here, and what to do')
    .description(
      'Looks at everything that a gateway here stands on, whether one runs or not: settings, ' +
        'folder, disk, secrets, database, clocks, other gateways, what is owed, and the way out ' +
        'for webhooks. It only looks: it starts, changes and locks nothing, and shows no secret. ' +
        'Run it where the gateway runs, under its account.',
    )
    .option('--config <file>', 'the settings file; else ROLLGATE_CONFIG, config/rollgate.yaml')
    .option('--data-dir <folder>', 'where the embedded database and the admin token are kept')
    .option(
      '--egress-host <host>',
      'try a TLS connection to this receiver, with :port',
      parseHostAndPort,
    )
    .action(async () => {
      const options = Options.parse(doctor.optsWithGlobals());
      const here = worldWith(options, world);
      // Loaded here: no other command needs a database driver to start.
      const { diagnose } = await import('../../doctor/diagnose.js');
      const findings = await diagnose({
        env: here.env,
        cwd: here.cwd,
        ...(await readSettings(here)),
        gateway: gatewayPlace(options, here),
        egress: options.egressHost,
        // What the other clocks are compared with is the machine's own.
        clocks: { now: Date.now, elapsed: here.elapsed },
      });
      print(findings, doctor, world);
      const exitCode = exitCodeOf(findings);
      if (exitCode !== EXIT.ok) throw new AlreadyTold(exitCode);
    });
  addExamples(doctor, [
    ['rollgate doctor', 'before a start, or when something is wrong'],
    ['rollgate doctor --egress-host hooks.example.com', 'can webhooks get out?'],
    ['rollgate doctor --json | jq \'.[] | select(.status == "FAIL")\'', 'for programs'],
    ['rollgate doctor --quiet', 'the names of what is amiss, one a line'],
  ]);
  addHelpSection(doctor, 'Exit codes', [
    ['0', 'no problems, except public names that cannot be resolved'],
    ['1', 'warnings only'],
    ['2', 'something fails; or wrong usage'],
  ]);
};
