import { Command, CommanderError } from 'commander';
import { ConfigError } from '../../config/config-error.js';
import { OTHER_VARIABLES } from '../../config/other-variables.js';
import { VERSION } from '../version.js';
import { AlreadyTold, CommandFailure, EXIT, type ExitCode } from './command-failure.js';
import { addAdminTokenCommands } from './commands/admin-token.js';
import { addCompletionCommands } from './commands/completion.js';
import { addConfigCommands } from './commands/config.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addJobCommands } from './commands/job.js';
import { addKeyCommands } from './commands/key.js';
import { addRoleCommands } from './commands/role.js';
import { addRoomCommands } from './commands/room.js';
import { addServeCommand } from './commands/serve.js';
import { addSmsCommands } from './commands/sms.js';
import { addTenantCommands } from './commands/tenant.js';
import { addExamples, addHelpSection } from './help.js';
import { createPaint } from './paint.js';
import type { World } from './world.js';

const HELP_COMMAND = ['help [command]', 'explain a command'] as const;

/** The whole `rollgate` command, as commander knows it. */
export const createProgram = (world: World): Command => {
  const program = new Command('rollgate');
  dress(program, world);
  program
    .description(
      'Rollgate: an open provisioning gateway. SCIM 2.0 and REST in, signed webhooks out.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    .option('--url <address>', 'the gateway to speak to')
    .option('--token <token>', 'the admin token; ROLLGATE_ADMIN_TOKEN keeps it out of histories')
    .option('--json', "print the operators' API's answer as it came")
    .option('-q, --quiet', 'print results only: slugs, ids, the key');
  program.commandsGroup('Gateway:');
  addServeCommand(program, world);
  addConfigCommands(program, world);
  addDoctorCommand(program, world);
  program.commandsGroup('Operating:');
  addTenantCommands(program, world);
  addKeyCommands(program, world);
  addRoomCommands(program, world);
  addRoleCommands(program, world);
  addJobCommands(program, world);
  addAdminTokenCommands(program, world);
  addSmsCommands(program, world);
  program.commandsGroup('Help:').helpCommand(...HELP_COMMAND);
  addCompletionCommands(program, world);
  explain(program);
  return program;
};

/** Set before the commands are added: they inherit it. */
const dress = (program: Command, { out, notes }: World): void => {
  const paint = createPaint(true);
  program
    .exitOverride()
    .helpCommand(...HELP_COMMAND)
    .showHelpAfterError('With --help it explains itself.')
    .configureOutput({
      writeOut: out.write,
      writeErr: notes.write,
      getOutHasColors: () => out.hasColours,
      getErrHasColors: () => notes.hasColours,
      getOutHelpWidth: () => Math.min(out.width, 100),
      getErrHelpWidth: () => Math.min(notes.width, 100),
    })
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: paint.bold,
      styleCommandText: paint.cyan,
    });
};

const explain = (program: Command): void => {
  addExamples(program, [
    ['rollgate serve', 'a gateway with a database of its own'],
    ['rollgate tenant create acme --seats 50', 'an organisation with 50 seats'],
    ['rollgate key create acme --description Okta --preset idp', 'a key for its identity provider'],
    ['rollgate key list acme', 'who has which key, and uses it'],
    ['rollgate room add acme Dispatch', 'a room for its users'],
    ['rollgate config check', 'before a restart'],
    ['rollgate doctor', 'what is wrong here, and what to do'],
  ]);
  addHelpSection(program, 'Environment', [
    ['ROLLGATE_ADMIN_TOKEN', "the operators' token, like --token"],
    ['ROLLGATE_DATA_DIR', 'the folder with the database and the admin token'],
    ...OTHER_VARIABLES.filter(({ readBy }) => readBy !== 'test').map(
      ({ name, meaning }) => [name, meaning] as const,
    ),
    ['NO_COLOR, FORCE_COLOR', 'no colours, or colours also in a pipe'],
    ['ROLLGATE_…', 'every setting: see "rollgate config show"'],
  ]);
  addHelpSection(program, 'Exit codes', [
    ['0', 'done'],
    ['1', 'the gateway refused or did not start, or "config check" found errors'],
    ['2', 'wrong usage, settings that cannot be used, or not confirmed'],
    ['3', 'no gateway answers'],
    ['4', 'no admin token, or not the right one'],
  ]);
};

/** Runs the command; everything that goes wrong is said on the standard error. */
export const runProgram = async (words: readonly string[], world: World): Promise<ExitCode> => {
  const program = createProgram(world);
  if (words.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(words, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    return explainFailure(error, world, words.includes('--json'));
  }
};

const explainFailure = (error: unknown, { notes }: World, asJson: boolean): ExitCode => {
  // Commander has said it already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof AlreadyTold) return error.exitCode;
  const { bold, red } = createPaint(notes.hasColours);
  if (error instanceof ConfigError) {
    notes.write(`${red(error.message)}\n`);
    return EXIT.usage;
  }
  if (!(error instanceof CommandFailure)) throw error;
  if (asJson && error.body !== undefined) notes.write(`${error.body}\n`);
  else {
    notes.write(`${red('error:')} ${bold(error.message)}\n`);
    for (const line of error.more) notes.write(`  ${line}\n`);
  }
  return error.exitCode;
};
