import type { Command } from 'commander';
import type { CliContext } from './cli-context.js';
import { usageError } from './cli-error.js';
import { completeBy, completeTenants } from './completions.js';
import { addFieldOptions, fieldOf, type FieldOption, givenFields } from './field-option.js';
import { addExamples, addHelpSection } from './help.js';
import { capitalise } from '../domain/kernel/in-words.js';
import { parseArgument, parseSlug } from './parse-argument.js';
import type { Argument, Verb } from './resource.js';
import { type Access, describeAccess, openSession, type Session } from './session.js';

/** A command that calls a gateway. */
export interface CommandForm extends Omit<Verb, 'access'> {
  readonly name: string;
  readonly summary: string;
  /** Absent: the admin token only. */
  readonly access?: Access | undefined;
  /** Whether its first argument is a tenant; default: true. */
  readonly perTenant?: boolean | undefined;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly FieldOption[];
  /** Whether `--dry-run` is an option: all its requests that change something accept it. */
  readonly canDryRun?: boolean | undefined;
  /** Whether `-o html` prints a page. */
  readonly hasHtml?: boolean;
  /** Options that set no field, such as `-y, --yes`, and their help. */
  readonly flags?: readonly (readonly [flags: string, help: string])[];
}

/** One run of a command. */
export interface CommandCall {
  readonly session: Session;
  /** The arguments after the tenant. */
  readonly args: readonly string[];
  /** What options and arguments set. */
  readonly fields: Record<string, unknown>;
  /** Whether this one of the flags is given: `yes`. */
  readonly has: (flag: string) => boolean;
}

/** Adds a command in the form that all commands have which call a gateway. */
export const addCommand = (
  group: Command,
  context: CliContext,
  form: CommandForm,
  run: (call: CommandCall) => Promise<void>,
): Command => {
  const { name, summary, access, perTenant = true, arguments: args = [], options = [] } = form;
  const command = group.command(name).aliases(form.aliases ?? []);
  command.summary(summary).description(form.description ?? `${capitalise(summary)}.`);
  for (const argument of perTenant ? [tenantArgument(context), ...args] : args) {
    const { parse = String, complete = () => Promise.resolve([]) } = argument;
    command.argument(argument.name, argument.help, (text) => parse(parseArgument(text)));
    completeBy(command.registeredArguments.at(-1), complete);
  }
  addFieldOptions(command, options, context.now);
  const flags = [...(form.flags ?? []), ...(form.canDryRun ? [DRY_RUN] : [])];
  for (const [flag, help] of flags) command.option(flag, help);
  for (const [title, lines] of Object.entries(form.sections ?? {}))
    addHelpSection(command, title, lines);
  addHelpSection(command, 'Credentials', describeAccess(access));
  addExamples(command, form.examples);
  return command.action(async () => {
    const values = [...(command.processedArgs as readonly string[])];
    const tenant = perTenant ? values.shift() : undefined;
    const has = (flag: string): boolean => command.getOptionValue(flag) === true;
    const isDryRun = form.canDryRun === true && has('dryRun');
    const target = { access, isDryRun, ...(tenant && { tenant }) };
    const session = openSession(context, command, target);
    if (session.format === 'html' && form.hasHtml !== true)
      usageError('This command prints no HTML. Allowed: table, json, yaml, csv.');
    const fields = await readSecrets(givenFields(command, options), options, context);
    for (const [index, { field }] of args.entries())
      if (field !== undefined) fields[field] = values[index];
    await session.run(() => run({ session, args: values, fields, has }));
  });
};

const tenantArgument = (context: CliContext): Argument => ({
  name: '<tenant>',
  help: "the tenant's slug",
  parse: parseSlug,
  complete: completeTenants(context),
});

const DRY_RUN = ['--dry-run', 'show what would change, without changing it'] as const;

/** Reads the secret given as `-` from standard input, where no other process can see it. */
const readSecrets = async (
  fields: Record<string, unknown>,
  options: readonly FieldOption[],
  { readLine }: CliContext,
): Promise<Record<string, unknown>> => {
  const secret = options.find((option) => option.isSecret && fields[fieldOf(option)] === '-');
  if (!secret) return fields;
  const line = (await readLine()).trim();
  if (line === '') usageError('No secret on standard input.');
  return { ...fields, [fieldOf(secret)]: line };
};

/** The flag that `confirm` takes as confirmation. */
export const YES = ['-y, --yes', 'do not ask for confirmation'] as const;

export interface Confirmation {
  /** What will happen, as a sentence. */
  readonly warning: string;
  /** The text to type. */
  readonly word: string;
  /** Do not ask. */
  readonly yes: boolean;
}

/** Asks before a change that cannot be undone; throws a CliError unless it is confirmed. */
export const confirm = async (
  { warning, word, yes }: Confirmation,
  { ask, stderr }: Pick<CliContext, 'ask' | 'stderr'>,
): Promise<void> => {
  if (yes) return;
  if (ask === undefined)
    return usageError('Not a terminal; pass --yes to confirm. Nothing was changed.', warning);
  stderr.write(`${warning}\n`);
  const answer = await ask(`Type "${word}" to confirm: `).catch(() => undefined);
  if (answer?.trim() !== word) return usageError('Not confirmed. Nothing was changed.');
};
