import { Command, CommanderError, Option } from 'commander';
import { ConfigError } from '../../config/config-error.js';
import { OTHER_VARIABLES } from '../../config/other-variables.js';
import type { Plugin } from '../start/load-extensions.js';
import { VERSION } from '../process/program.js';
import { asCalled, type CliContext } from './cli-context.js';
import { addResources } from './add-resource.js';
import { CliError, EXIT, type ExitCode, SilentExit } from './cli-error.js';
import { addAdminTokenCommands } from './commands/admin-token.js';
import { addApplyCommand } from './commands/apply.js';
import { addAuditCommands } from './commands/audit.js';
import { addCompletionCommands } from './commands/completion.js';
import { addConfigCommands } from './commands/config.js';
import { CONNECTIONS } from './commands/connection.js';
import { addConnectorInit } from './commands/init-connector.js';
import { addConnectorNew } from './commands/new-extension.js';
import { addConnectorTry } from './commands/try-connector.js';
import { addPluginCommands, enabledPlugins } from './commands/plugin.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addExplainCommand } from './commands/explain.js';
import { addExportCommand } from './commands/export.js';
import { addLoginCommands } from './commands/login.js';
import { addServeCommand } from './commands/serve.js';
import { eventResource } from './commands/event.js';
import { addWebhookListen } from './commands/webhook-listen.js';
import { GROUPS } from './commands/group.js';
import { JOBS } from './commands/job.js';
import { keyResource, scopeCatalogue } from './commands/key.js';
import { LOG } from './commands/log.js';
import { OPERATORS, PASSKEYS } from './commands/operator.js';
import { addAttributeCommands } from './commands/attribute.js';
import { SETUP_LINKS } from './commands/setup-link.js';
import { REQUESTS } from './commands/request.js';
import { ROLE_MAPPINGS } from './commands/role.js';
import { ROOM_MEMBERS, ROOMS } from './commands/room.js';
import { SMS_LISTS } from './commands/sms.js';
import { TENANTS } from './commands/tenant.js';
import { USERS } from './commands/user.js';
import { completeBy, positionAfter, withDefaultCommand } from './completions.js';
import { addExamples, addHelpSection } from './help.js';
import { FORMATS } from './output.js';
import { LOCAL, readProfiles } from './profiles.js';
import { createPaint, printableLines } from './terminal-text.js';

/** In the order of the help. */
const resourcesFor = (plugins: readonly Plugin[] = []) => [
  TENANTS,
  keyResource(scopeCatalogue(plugins)),
  CONNECTIONS,
  SETUP_LINKS,
  USERS,
  GROUPS,
  ROOMS,
  ROOM_MEMBERS,
  ROLE_MAPPINGS,
  SMS_LISTS,
  eventResource(plugins),
  LOG,
  REQUESTS,
  JOBS,
];

const HELP_COMMAND = ['help [command]', 'show the help of a command'] as const;

/** The whole `rollgate` command. */
export const createProgram = (context: CliContext, isJson = false): Command => {
  const program = new Command('rollgate');
  configure(program, context, isJson);
  program
    .description(
      'Rollgate: a provisioning gateway for the organisations of a push-to-talk voice service, ' +
        'their rooms, and who may transmit. Identity providers such as Okta and Entra ID push users ' +
        'and groups to it over SCIM, the standard protocol for that.',
    )
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .option('--config <file>', 'settings file (default: ROLLGATE_CONFIG, or config/rollgate.yaml)')
    .option('--url <url>', 'address of the gateway (default: from the profile or the settings)')
    .option('--token <token>', 'admin token; prefer "rollgate login" or ROLLGATE_ADMIN_TOKEN')
    .option('--api-key <key>', 'API key of a tenant; prefer ROLLGATE_API_KEY')
    .option('--ca-file <file>', 'PEM file of CAs to trust for an https address')
    .addOption(profileOption(context))
    .addOption(outputOption())
    .option('--json', 'the same as -o json')
    .option('-q, --quiet', 'print only ids, slugs or secrets');
  program.commandsGroup('Gateway:');
  addServeCommand(program, context);
  addConfigCommands(program, context);
  addDoctorCommand(program, context);
  addLoginCommands(program, context);
  addAdminTokenCommands(program, context);
  addResources(program, context, [OPERATORS, PASSKEYS]);
  program.commandsGroup('Tenants:');
  addResources(program, context, resourcesFor(context.plugins));
  addAttributeCommands(program, context);
  addExplainCommand(program, context);
  addExportCommand(program, context);
  addApplyCommand(program, context);
  addAuditCommands(program, context);
  program.commandsGroup('Plugins:');
  addPluginCommands(program, context);
  addWebhookListen(program, context);
  const connector = connectorCommands(program);
  addConnectorInit(connector, context);
  addConnectorNew(connector, context);
  addConnectorTry(connector, context);
  program.commandsGroup('Help:').helpCommand(...HELP_COMMAND);
  addCompletionCommands(program, context);
  addRootSections(program);
  hintAtHelp(program, globalOptionsIn(program));
  return program;
};

const profileOption = (context: CliContext): Option => {
  const help = `server that "rollgate login" stored, or "${LOCAL}" (default: the current one)`;
  const option = new Option('--profile <name>', help);
  completeBy(option, () => Promise.resolve(Object.keys(readProfiles(context).profiles)));
  return option;
};

const outputOption = (): Option => {
  const [standard, ...others] = FORMATS.filter((format) => format !== 'html');
  const help = `format of results: ${standard} (default), ${others.join(', ')}; html of plans only`;
  return new Option('-o, --output <format>', help).choices(FORMATS);
};

/** Those of the plugin that runs connectors, which may be disabled. */
const connectorCommands = (program: Command): Command =>
  program.commands.find((command) => command.name() === 'connector') ??
  program.command('connector').summary('write and try connectors').helpCommand(false);

/** Called before the commands are added, because they inherit it. */
const configure = (program: Command, context: CliContext, isJson: boolean): void => {
  const { stdout, stderr } = context;
  const paint = createPaint(true);
  program
    .exitOverride()
    .helpCommand(...HELP_COMMAND)
    .configureOutput({
      writeOut: (text) => stdout.write(asCalled(text, context)),
      writeErr: (text) => (isJson ? undefined : stderr.write(text)),
      getOutHasColors: () => stdout.hasColours,
      getErrHasColors: () => stderr.hasColours,
      getOutHelpWidth: () => Math.min(stdout.width, 100),
      getErrHelpWidth: () => Math.min(stderr.width, 100),
    })
    .configureHelp({
      // Without aliases, and without choices: flags or descriptions name them.
      commandUsage: (command) => [...pathOf(command), command.usage()].join(' '),
      subcommandTerm: (command) => [command.name(), ...argumentsOf(command)].join(' '),
      optionDescription: ({ description, mandatory }) =>
        mandatory ? `${description} (required)` : description,
      argumentDescription: ({ description }) => description,
      styleTitle: paint.bold,
      styleCommandText: paint.cyan,
    });
};

const pathOf = (command: Command): readonly string[] => [
  ...(command.parent ? pathOf(command.parent) : []),
  command.name(),
];

const argumentsOf = ({ registeredArguments }: Command): readonly string[] =>
  registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );

/** Every usage error ends with the command that explains the usage; every help with the options of all. */
const hintAtHelp = (command: Command, globals: string): void => {
  command.showHelpAfterError(`Run "${pathOf(command).join(' ')} --help" for usage.`);
  if (command.parent && command.commands.length === 0) command.addHelpText('after', globals);
  for (const child of command.commands) hintAtHelp(child, globals);
};

const globalOptionsIn = ({ options }: Command): string => {
  const flags = options
    .filter(({ long }) => long !== '--version')
    .map(({ short, long }) => short ?? long ?? '');
  return `\nOptions of every command, see "rollgate --help":\n  ${flags.join(', ')}`;
};

const addRootSections = (program: Command): void => {
  addExamples(program, [
    ['rollgate serve', 'start a gateway with an embedded database'],
    ['rollgate tenant create acme --seats 50', 'create a tenant with 50 seats'],
    ['rollgate key create acme --preset idp', 'create a key for its identity provider'],
    ['rollgate room create acme Dispatch', 'create a room'],
    ['rollgate log list acme --since 1h', 'see what was provisioned'],
    ['rollgate explain acme ada --room Dispatch', 'see why a user is (not) in a room'],
    ['rollgate doctor', 'find out what is wrong'],
  ]);
  addHelpSection(program, 'Credentials', [
    [
      'admin token',
      'for all commands but "sms export"; found in the data folder, or stored by "rollgate login"',
    ],
    ['API key', 'of a tenant, for integrators; create one with "rollgate key create"'],
  ]);
  addHelpSection(program, 'Environment', [
    ['ROLLGATE_ADMIN_TOKEN', 'the admin token, like --token'],
    ['ROLLGATE_DATA_DIR', 'folder of the embedded database and the admin token'],
    ...OTHER_VARIABLES.filter(({ readBy }) => readBy !== 'test').map(
      ({ name, description }) => [name, description] as const,
    ),
    ['NO_COLOR, FORCE_COLOR', 'disable or force colours'],
    ['ROLLGATE_…', 'any setting; see "rollgate config show"'],
  ]);
  addHelpSection(program, 'Exit codes', [
    ['0', 'success'],
    ['1', 'failed: refused, unreachable, or something was found to be wrong'],
    ['2', 'wrong usage, invalid settings, or not confirmed; nothing was done'],
    ['', 'of "apply --dry-run": something would change'],
  ]);
};

/** Runs a command; errors are printed to standard error. */
export const runProgram = async (
  words: readonly string[],
  { stderr, ...given }: CliContext,
): Promise<ExitCode> => {
  const file = valueOf('--config', words);
  const env = { ...given.env, ...(file !== undefined && { ROLLGATE_CONFIG: file }) };
  const write = (text: string): void => stderr.write(asCalled(text, given));
  const printed = { ...given, env, stderr: { ...stderr, write } };
  const isJson = words.includes('--json') || isForPrograms(words);
  try {
    const plugins = given.plugins ?? (await enabledPlugins(printed));
    const context = { ...printed, plugins };
    const program = createProgram(context, isJson);
    if (words.length === 0) {
      program.outputHelp();
      return EXIT.ok;
    }
    const wanted = withDefaultCommand(program, withHelpAsOption(program, words));
    await program.parseAsync(wanted, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return reportError(error, printed, isJson);
  }
};

/** Of an option that must be known before the command line is parsed. */
const valueOf = (option: string, words: readonly string[]): string | undefined => {
  const end = words.indexOf('--');
  const given = end < 0 ? words : words.slice(0, end);
  const at = given.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  const [, inline] = given[at]?.split(/=(.*)/s) ?? [];
  return at < 0 ? undefined : (inline ?? given[at + 1]);
};

/** Errors as JSON are YAML as well. */
const isForPrograms = (words: readonly string[]): boolean =>
  [valueOf('-o', words), valueOf('--output', words)].some((f) => f === 'json' || f === 'yaml') ||
  words.some((word) => word === '-ojson' || word === '-oyaml');

/** `help room create` means `room create --help`. The help of an unknown command is an error. */
const withHelpAsOption = (program: Command, words: readonly string[]): readonly string[] => {
  const [first, ...rest] = words;
  const wanted = first === 'help' ? [...rest, '--help'] : words;
  return positionAfter(program, wanted).isUnknown
    ? wanted.filter((word) => word !== '--help' && word !== '-h')
    : wanted;
};

const reportError = (error: unknown, { stderr }: CliContext, isJson: boolean): ExitCode => {
  if (error instanceof SilentExit) return error.exitCode;
  if (error instanceof CommanderError) {
    const exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    // Commander has printed it for people.
    if (isJson && exitCode !== EXIT.ok)
      stderr.write(jsonOf({ code: 'USAGE', message: error.message.replace(/^error: /, '') }));
    return exitCode;
  }
  if (error instanceof ConfigError) {
    const { message } = error;
    const { red } = createPaint(stderr.hasColours);
    const code = 'INVALID_CONFIGURATION';
    stderr.write(isJson ? jsonOf({ code, message }) : `${red(message)}\n`);
    return EXIT.usage;
  }
  if (!(error instanceof CliError)) throw error;
  stderr.write(isJson ? (error.body ? `${error.body}\n` : jsonOf(error)) : textOf(error, stderr));
  return error.exitCode;
};

/** In the form of the API's errors. */
const jsonOf = ({
  code,
  message,
  hints = [],
}: Pick<CliError, 'code' | 'message'> & Partial<Pick<CliError, 'hints'>>): string =>
  `${JSON.stringify({ error: code, message, ...(hints.length > 0 && { hints }) })}\n`;

const textOf = ({ message, hints }: CliError, { hasColours }: CliContext['stderr']): string => {
  const { bold, red } = createPaint(hasColours);
  const [text, ...lines] = [message, ...hints].map(printableLines);
  return `${red('error:')} ${bold(text ?? '')}\n${lines.map((line) => `  ${line}\n`).join('')}`;
};
