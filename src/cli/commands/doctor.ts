import type { Finding, Status, DiagnoseOptions } from '../../doctor/diagnose.js';
import { asCalled, type Output, type CliContext } from '../cli-context.js';
import { displayWidth, printable, createPaint, type Paint } from '../terminal-text.js';
import { renderTable } from '../table.js';
import type { Command } from 'commander';
import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../../../config/config-error.js';
import type { Config } from '../../../config/load-config.js';
import { secretsIn } from '../../../config/secret.js';
import { inspectConfig } from '../../start/check-config.js';
import { loadPlugins } from '../../start/load-extensions.js';
import { CliError, SilentExit } from '../cli-error.js';
import { CONFIGURATION, findAddress, findOperatorAccess } from '../gateway-access.js';
import { addExamples, addHelpSection } from '../help.js';
import { isLoopback } from '../../../config/is-loopback.js';
import { parseHostAndPort } from '../parse-argument.js';
import { LOCAL } from '../profiles.js';
import { printResult } from '../output.js';

interface Line {
  readonly status: string;
  readonly check: string;
  readonly text: string;
}

const ORDER = ['OK', 'WARN', 'FAIL', 'SKIP'] as const satisfies readonly Status[];
const COUNTED = {
  OK: ['OK', 'OK'],
  WARN: ['warning', 'warnings'],
  FAIL: ['failed', 'failed'],
  SKIP: ['skipped', 'skipped'],
} as const satisfies Readonly<Record<Status, readonly [string, string]>>;
const GAPS = 4;
const MIN_WIDTH = 40;

/**
 * A line per finding, followed by its remedy.
 *
 * @internal
 */
export const findingsTable = (
  findings: readonly Finding[],
  { hasColours, width }: Pick<Output, 'hasColours' | 'width'>,
): string => {
  const paint = createPaint(hasColours);
  const names = Math.max(...findings.map(({ check }) => displayWidth(check)));
  const wrapAt = Math.max(MIN_WIDTH, width - 'STATUS'.length - names - GAPS);
  return renderTable<Line>(
    [
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'CHECK', cell: ({ check }) => check },
      { title: 'FINDING', cell: ({ text }) => text, wrapAt },
    ],
    findings.flatMap((finding) => linesOf(finding, paint)),
    paint,
  );
};

const linesOf = ({ status, check, message, remedy }: Finding, paint: Paint): readonly Line[] => [
  { status: painted(paint)[status], check, text: printable(message) },
  ...(remedy === undefined ? [] : [{ status: '', check: '', text: `→ ${printable(remedy)}` }]),
];

const painted = ({ green, yellow, red, dim }: Paint): Readonly<Record<Status, string>> => ({
  OK: green('OK'),
  WARN: yellow('WARN'),
  FAIL: red('FAIL'),
  SKIP: dim('SKIP'),
});

/**
 * `17 OK, 1 warning, 5 skipped.`
 *
 * @internal
 */
export const findingsSummary = (findings: readonly Finding[]): string => {
  const parts = ORDER.map((status) => ({
    status,
    count: findings.filter((finding) => finding.status === status).length,
  }));
  return `${parts
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${COUNTED[status][count === 1 ? 0 : 1]}`)
    .join(', ')}.`;
};

const Options = z.object({
  dataDir: z.string().optional(),
  egressHost: z.object({ host: z.string(), port: z.number() }).optional(),
  url: z.string().optional(),
  token: z.string().optional(),
});

type Options = z.output<typeof Options>;

interface Settings {
  /** Undefined if the settings file cannot be read. */
  readonly config: Config | undefined;
  readonly problems: readonly ConfigProblem[];
  /** Errors that disable connectors only. */
  readonly connectorProblems?: readonly ConfigProblem[];
  readonly warnings?: readonly ConfigProblem[];
  readonly extensions?: NonNullable<DiagnoseOptions['extensions']>;
  /** Of plugins; those of the core are in the configuration. */
  readonly secrets?: readonly string[];
}

/** If some settings are invalid, checks that need only the others can still run. */
const readSettings = async (context: CliContext): Promise<Settings> => {
  try {
    const plugins = await loadPlugins(context);
    const {
      loaded,
      problems,
      connectorProblems,
      warnings,
      plugins: configured,
    } = inspectConfig(context, plugins);
    const extensions = plugins.enabled.map(
      ({ name, plugin: { doctor = [], outbound, multiple } }) => {
        const section = configured.enabled.find((one) => one.name === name);
        return {
          name,
          checks: doctor,
          ...(multiple && { multiple }),
          ...(section && {
            configured: {
              settings: section.settings,
              outbound: outbound?.(section.settings) ?? {},
            },
          }),
        };
      },
    );
    const secrets = [
      ...configured.enabled.map(({ settings }) => settings),
      ...configured.connectors.map(({ section }) => section),
    ].flatMap((settings) => revealAll(secretsIn(settings)));
    return {
      ...{ config: loaded?.config, problems, connectorProblems, warnings },
      ...{ extensions, secrets },
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { config: undefined, problems: error.problems };
  }
};

/** Skips secrets that cannot be read: they cannot appear in the output. */
const revealAll = (secrets: ReturnType<typeof secretsIn>): readonly string[] =>
  secrets.flatMap((secret) => {
    try {
      return [secret.reveal()];
    } catch {
      return [];
    }
  });

/** A missing address or token is a finding, not an error. */
const orMissing = <Value>(find: () => Value): Value | { readonly missing: string } => {
  try {
    return find();
  } catch (error) {
    if (error instanceof ConfigError) return { missing: 'Cannot read the configuration.' };
    if (error instanceof CliError) return { missing: error.hints[0] ?? error.message };
    throw error;
  }
};

/** Of the gateway on this machine, whichever profile is current. */
const gatewayAccess = ({ url, token }: Options, context: CliContext) => ({
  address: orMissing(() => {
    const { url: address, urlSource } = findAddress(accessTo(url, token), context);
    const isConfidential = address.startsWith('https:') || isLoopback(address);
    return { url: address, isGiven: urlSource !== CONFIGURATION, isConfidential };
  }),
  token: orMissing(() => {
    const found = findOperatorAccess(accessTo(url, token), context);
    return { value: found.token, from: found.tokenSource };
  }),
});

const accessTo = (url: string | undefined, token: string | undefined) => ({
  ...(url === undefined ? { profile: LOCAL } : { url }),
  token,
});

/** The context of a gateway started with these options. */
const contextWith = ({ dataDir }: Options, context: CliContext): CliContext => ({
  ...context,
  env: {
    ...context.env,
    ...(dataDir !== undefined && { ROLLGATE_DATA_DIR: dataDir }),
  },
});

const print = (findings: readonly Finding[], command: Command, context: CliContext): void => {
  const { stdout } = context;
  printResult(command, context, {
    people: () =>
      asCalled(`${findingsTable(findings, stdout)}\n${findingsSummary(findings)}\n`, context),
    json: JSON.stringify(findings, null, 2),
    quiet: () =>
      findings
        .filter(isProblem)
        .map(({ check }) => check)
        .join('\n'),
  });
};

const isProblem = ({ status }: Finding): boolean => status === 'WARN' || status === 'FAIL';

export const addDoctorCommand = (program: Command, context: CliContext): void => {
  const doctor = program
    .command('doctor')
    .summary('find problems and say how to fix them')
    .description(
      'Check everything a gateway on this machine depends on, running or not: settings, data ' +
        'folder, disk, secrets, database, clocks, other gateways, pending deliveries, and what ' +
        'plugins need. It changes nothing and shows no secrets. Run it on the machine of ' +
        'the gateway, under the same account.',
    )
    .option(
      '--data-dir <folder>',
      'folder of the embedded database and the admin token (default: the setting dataDir, or .rollgate)',
    )
    .option(
      '--egress-host <host>',
      'test a TLS connection to this receiver of events: host or host:port',
      parseHostAndPort,
    )
    .action(async () => {
      const options = Options.parse(doctor.optsWithGlobals());
      const here = contextWith(options, context);
      // Imported here, so that other commands do not load the database driver.
      const { diagnose } = await import('../../doctor/diagnose.js');
      const findings = await diagnose({
        env: here.env,
        cwd: here.cwd,
        ...(await readSettings(here)),
        gateway: gatewayAccess(options, here),
        egress: options.egressHost,
        // Other clocks are compared with the machine's, not with a test's.
        clocks: { now: Date.now, elapsed: here.elapsed },
      });
      print(findings, doctor, context);
      if (findings.some(({ status }) => status === 'FAIL')) throw new SilentExit();
    });
  addExamples(doctor, [
    ['rollgate doctor', 'before a start, or when something fails'],
    ['rollgate doctor --egress-host hooks.example.com', 'test the connection to a receiver'],
    ['rollgate doctor -o json | jq \'.[] | select(.status == "FAIL")\'', 'only failed checks'],
    ['rollgate doctor --quiet', 'the names of checks with problems, one per line'],
  ]);
  addHelpSection(doctor, 'Exit codes', [
    ['0', 'no check failed; there may be warnings'],
    ['1', 'at least one check failed'],
  ]);
};
