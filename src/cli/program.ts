import { Command, CommanderError, type Option } from 'commander';
import { ConfigError } from '../../config/config-error.js';
import { OTHER_VARIABLES } from '../../config/other-variables.js';
import type { Plugin } from '../start/load-extensions.js';
import { VERSION } from '../process/program.js';
import { asCalled, type CliContext } from './cli-context.js';
import { addResources } from './add-resource.js';
import { CliError, EXIT, type ExitCode, SilentExit } from './cli-error.js';
import { addAdminTokenCommands } from './commands/admin-token.js';
import { addAuditCommands } from './commands/audit.js';
import { addCompletionCommands } from './commands/completion.js';
import { addConfigCommands } from './commands/config.js';
import { addConnectorNew } from './commands/new-extension.js';
import { addPluginCommands, enabledPlugins } from './commands/plugin.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addExplainCommand } from './commands/explain.js';
import { addExportCommand } from './commands/export.js';
import { addServeCommand } from './commands/serve.js';
import { eventResource } from './commands/event.js';
import { addWebhookListen } from './commands/webhook-listen.js';
import { GROUPS } from './commands/group.js';
import { JOBS } from './commands/job.js';
import { keyResource, scopeCatalogue } from './commands/key.js';
import { LOG } from './commands/log.js';
import { OPERATORS } from './commands/operator.js';
import { SETUP_LINKS } from './commands/setup-link.js';
import { REQUESTS } from './commands/request.js';
import { ROLE_MAPPINGS } from './commands/role.js';
import { ROOM_MEMBERS, ROOMS } from './commands/room.js';
import { SMS_LISTS } from './commands/sms.js';
import { TENANTS } from './commands/tenant.js';
import { USERS } from './commands/user.js';
import { positionAfter, withDefaultCommand } from './completions.js';
import { addExamples, addHelpSection } from './help.js';
import { createPaint } from './terminal-text.js';

/** In the order of the help. */
const resourcesFor = (plugins: readonly Plugin[] = []) => [
  TENANTS,
  keyResource(scopeCatalogue(plugins)),
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

/**
 * The whole `rollgate` command.
 *
 * @internal
 */
export const createProgram = (context: CliContext): Command => {
  const program = new Command('rollgate');
  configure(program, context);
  program
    .description(
      'Rollgate: a provisioning gateway for the organisations of a push-to-talk voice service, ' +
        'their rooms, and who may transmit.',
    )
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .option('--url <url>', 'address of the gateway')
    .option('--token <token>', 'admin token; prefer ROLLGATE_ADMIN_TOKEN')
    .option('--api-key <key>', 'API key of a tenant; prefer ROLLGATE_API_KEY')
    .option('--json', "print the API's JSON response")
    .option('-q, --quiet', 'print only ids, slugs or secrets');
  program.commandsGroup('Gateway:');
  addServeCommand(program, context);
  addConfigCommands(program, context);
  addDoctorCommand(program, context);
  addAdminTokenCommands(program, context);
  addResources(program, context, [OPERATORS]);
  program.commandsGroup('Tenants:');
  addResources(program, context, resourcesFor(context.plugins));
  addExplainCommand(program, context);
  addExportCommand(program, context);
  addAuditCommands(program, context);
  program.commandsGroup('Plugins:');
  addPluginCommands(program, context);
  addWebhookListen(program, context);
  addConnectorNew(program, context);
  program.commandsGroup('Help:').helpCommand(...HELP_COMMAND);
  addCompletionCommands(program, context);
  addRootSections(program);
  hintAtHelp(program);
  return program;
};

/** Called before the commands are added, because they inherit it. */
const configure = (program: Command, context: CliContext): void => {
  const { stdout, stderr } = context;
  const paint = createPaint(true);
  program
    .exitOverride()
    .helpCommand(...HELP_COMMAND)
    .configureOutput({
      writeOut: (text) => stdout.write(asCalled(text, context)),
      writeErr: stderr.write,
      getOutHasColors: () => stdout.hasColours,
      getErrHasColors: () => stderr.hasColours,
      getOutHelpWidth: () => Math.min(stdout.width, 100),
      getErrHelpWidth: () => Math.min(stderr.width, 100),
    })
    .configureHelp({
      showGlobalOptions: true,
      // Without aliases, and without choices: flags or descriptions name them.
      commandUsage: (command) => [...pathOf(command), command.usage()].join(' '),
      subcommandTerm: (command) => [command.name(), ...argumentsOf(command)].join(' '),
      optionDescription: ({ description }) => description,
      argumentDescription: ({ description }) => description,
      visibleGlobalOptions: globalOptionsOf,
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

/** The root's options, in the help of commands without subcommands. */
const globalOptionsOf = (command: Command): Option[] => {
  let root = command;
  while (root.parent) root = root.parent;
  if (root === command || command.commands.length > 0) return [];
  return root.options.filter(({ long }) => long !== '--version');
};

/** Every usage error ends with the command that explains the usage. */
const hintAtHelp = (command: Command): void => {
  command.showHelpAfterError(`Run "${pathOf(command).join(' ')} --help" for usage.`);
  command.commands.forEach(hintAtHelp);
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
      'for all commands but "user create" and "sms export"; found in the data folder',
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
    ['1', 'refused by the gateway, failed to start, or errors found by "config check"'],
    ['2', 'wrong usage, invalid settings, or not confirmed'],
    ['3', 'gateway unreachable'],
    ['4', 'credential missing or not accepted'],
  ]);
};

/** Runs a command; errors are printed to standard error. */
export const runProgram = async (
  words: readonly string[],
  given: CliContext,
): Promise<ExitCode> => {
  const plugins = given.plugins ?? (await enabledPlugins(given));
  const write = (text: string): void => given.stderr.write(asCalled(text, given));
  const context = { ...given, plugins, stderr: { ...given.stderr, write } };
  const program = createProgram(context);
  if (words.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    const wanted = withDefaultCommand(program, withHelpAsOption(program, words));
    await program.parseAsync(wanted, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return reportError(error, context, words.includes('--json'));
  }
};

/** `help room create` means `room create --help`. The help of an unknown command is an error. */
const withHelpAsOption = (program: Command, words: readonly string[]): readonly string[] => {
  const [first, ...rest] = words;
  const wanted = first === 'help' ? [...rest, '--help'] : words;
  return positionAfter(program, wanted).isUnknown
    ? wanted.filter((word) => word !== '--help' && word !== '-h')
    : wanted;
};

const reportError = (error: unknown, { stderr }: CliContext, asJson: boolean): ExitCode => {
  // Commander has printed it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof SilentExit) return error.exitCode;
  const { bold, red } = createPaint(stderr.hasColours);
  if (error instanceof ConfigError) {
    stderr.write(`${red(error.message)}\n`);
    return EXIT.usage;
  }
  if (!(error instanceof CliError)) throw error;
  if (asJson && error.body !== undefined) stderr.write(`${error.body}\n`);
  else {
    stderr.write(`${red('error:')} ${bold(error.message)}\n`);
    for (const hint of error.hints) stderr.write(`  ${hint}\n`);
  }
  return error.exitCode;
};
