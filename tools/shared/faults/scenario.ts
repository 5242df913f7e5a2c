import { parseArgs } from 'node:util';
import { type Cleanup, runWithCleanup } from '../cleanup.js';
import { describeMachine } from '../describe-machine.js';
import { startDatabase } from '../start-database.js';
import { type Context, openContext } from './context.js';
import { type Figures, recordLongRun } from './long-runs.js';

/** An option of the command line: a number, a text, or a flag. */
export interface Option<Value extends number | string | boolean> {
  readonly default: Value;
  readonly help: string;
}

export const number = (value: number, help: string): Option<number> => ({ default: value, help });
export const text = (value: string, help: string): Option<string> => ({ default: value, help });
export const flag = (help: string): Option<boolean> => ({ default: false, help });

/** Options that several scenarios share. */
export const SEED = number(Date.now() % 1_000_000, 'repeats the random moments of an earlier run');
export const MAIN = text('', "the gateway's program; default: the built one of this repository");
export const JSON_FILE = text('', 'file that keeps the figures, such as docs/long-runs.json');
export const MONGODB = text('', 'connection string of a database; default: a temporary one');

type Options = Readonly<Record<string, Option<number> | Option<string> | Option<boolean>>>;
export type ValuesOf<Of extends Options> = { readonly [Name in keyof Of]: Of[Name]['default'] };

/** An option that cannot be used. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What a run found. */
export interface RunResult {
  /** Violated guarantees; empty if none. */
  readonly problems: readonly string[];
  /** Why the run proves nothing, such as a machine that was too busy. */
  readonly inconclusive?: string | undefined;
  /** What was measured; `JSON_FILE` keeps it. */
  readonly figures?: Figures;
}

export interface Run {
  readonly cleanup: Cleanup;
  /** Prints a line of progress. */
  readonly report: (line: string) => void;
}

/** A program that injects faults or load into real gateways, and checks what they guarantee. */
export interface Scenario<Of extends Options, Result extends RunResult> {
  /** `npm run <name>` */
  readonly name: string;
  readonly summary: string;
  readonly options: Of;
  /** The option for arguments without a name, which are joined by commas. */
  readonly words?: keyof Of & string;
  /** Printed if there are no problems. */
  readonly success: string;
  readonly run: (options: ValuesOf<Of>, run: Run) => Promise<Result>;
}

/** A scenario as a command. */
export interface Program {
  readonly name: string;
  /** Runs it with these arguments; resolves with the exit code. */
  readonly main: (args: readonly string[]) => Promise<number>;
}

export const defineScenario = <Of extends Options, Result extends RunResult>(
  scenario: Scenario<Of, Result>,
): Scenario<Of, Result> & Program => ({
  ...scenario,
  main: (args) => runProgram(scenario, args),
});

/** A context on the given database, or on one that is started for the run. */
export const openRunContext = async (mongodb: string, { cleanup, report }: Run): Promise<Context> =>
  openContext(mongodb || (await startDatabase(cleanup, report)).uri, cleanup);

/** Runs a scenario from a test, with the defaults for what is not given. */
export const runScenario = <Of extends Options, Result extends RunResult>(
  { options, run }: Scenario<Of, Result>,
  values: Partial<ValuesOf<Of>>,
  cleanup: Cleanup,
): Promise<Result> =>
  run({ ...defaultsOf(options), ...values }, { cleanup, report: () => undefined });

const defaultsOf = <Of extends Options>(options: Of): ValuesOf<Of> =>
  Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, option.default]),
  ) as ValuesOf<Of>;

const MAX_PROBLEMS = 20;

const runProgram = async <Of extends Options>(
  scenario: Scenario<Of, RunResult>,
  args: readonly string[],
): Promise<number> => {
  const report = (line: string): void => void process.stdout.write(`${line}\n`);
  const values = readOptions(scenario, args);
  if (typeof values === 'string') {
    report(values);
    return args.includes('--help') || args.includes('-h') ? 0 : 2;
  }
  try {
    const machine = await describeMachine();
    return await runWithCleanup(report, async (cleanup) => {
      const result = await scenario.run(values, { cleanup, report });
      const { problems, inconclusive, figures } = result;
      if (figures && values['json'] && inconclusive === undefined)
        await recordLongRun(String(values['json']), scenario.name, {
          ...{ command: commandOf(scenario.name, args), machine, figures, problems },
        });
      return conclude(result, scenario.success, report);
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    report(`${error.message}\n\n${usage(scenario)}`);
    return 2;
  }
};

const commandOf = (name: string, args: readonly string[]): string => {
  const given = args.filter((arg, at) => arg !== '--json' && args[at - 1] !== '--json');
  return [`npm run ${name}`, ...(given.length > 0 ? ['--'] : []), ...given].join(' ');
};

const conclude = (
  { problems, inconclusive }: RunResult,
  success: string,
  report: Run['report'],
): number => {
  report('');
  for (const problem of problems.slice(0, MAX_PROBLEMS)) report(`  ✘ ${problem}`);
  if (problems.length > MAX_PROBLEMS) report(`  ✘ and ${problems.length - MAX_PROBLEMS} more`);
  if (problems.length === 0 && inconclusive === undefined) report(`  ✔ ${success}`);
  if (inconclusive !== undefined) report(`  Inconclusive: ${inconclusive}`);
  return inconclusive !== undefined ? 2 : problems.length === 0 ? 0 : 1;
};

/** The values; or the usage, if help was requested or an option is wrong. */
const readOptions = <Of extends Options>(
  scenario: Scenario<Of, RunResult>,
  args: readonly string[],
): ValuesOf<Of> | string => {
  const { options, words } = scenario;
  const specs = Object.entries(options).map(([name, option]) => {
    const isFlag = typeof option.default === 'boolean';
    return [name, { type: isFlag ? ('boolean' as const) : ('string' as const) }] as const;
  });
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: words !== undefined,
      options: { ...Object.fromEntries(specs), help: { type: 'boolean', short: 'h' } },
    });
    if (values['help'] === true) return usage(scenario);
    const given = Object.entries(values).map(([name, value]) => [
      name,
      typeof options[name]?.default === 'number' ? numberIn(name, String(value)) : value,
    ]);
    if (words !== undefined && positionals.length > 0) given.push([words, positionals.join()]);
    return { ...defaultsOf(options), ...(Object.fromEntries(given) as Partial<ValuesOf<Of>>) };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${usage(scenario)}`;
  }
};

const numberIn = (name: string, value: string): number => {
  if (Number(value) >= 0) return Number(value);
  throw new UsageError(`--${name} must be a number.`);
};

const usage = <Of extends Options>({ name, summary, options }: Scenario<Of, RunResult>): string => {
  const lines = Object.entries(options).map(([option, spec]) => {
    const kind = typeof spec.default;
    const argument = kind === 'number' ? ' N' : kind === 'string' ? ' TEXT' : '';
    const fallback =
      kind === 'boolean' || spec === SEED || spec.default === '' ? '' : ` (${spec.default})`;
    return `  ${`--${option}${argument}`.padEnd(20)} ${spec.help}${fallback}`;
  });
  return [`npm run ${name} [-- options]`, '', summary, '', ...lines].join('\n');
};

/** Numbers in [0, 1), the same sequence for the same seed (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
