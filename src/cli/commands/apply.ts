import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { ConfigError } from '../../../config/config-error.js';
import { type ConfigFile, readConfigFile } from '../../../config/config-file.js';
import {
  applyTenantPlan,
  type CreatedSecret,
  planTenant,
  TenantFileError,
  type TenantPlan,
  type TenantStep,
} from '../../client/index.js';
import { addCommand, type CommandForm, confirm, YES } from '../add-command.js';
import type { CliContext } from '../cli-context.js';
import { CliError, EXIT, SilentExit, usageError } from '../cli-error.js';
import type { Session } from '../session.js';
import { problemLine } from './config.js';
import { type Paint, printable } from '../terminal-text.js';

const Fields = z.object({ file: z.string() });

const FORM: CommandForm = {
  name: 'apply',
  perTenant: false,
  summary: 'create or update a tenant from a file',
  description:
    'Create or update a tenant so that it is what a file describes: settings, attributes of its own, ' +
    'role mappings, rooms, and where events are sent. "rollgate tenant export" writes such a file. The plan is ' +
    'printed first, with what each change would do; if the gateway would refuse one, nothing is ' +
    'changed. A new tenant is created first, and the rest only if the gateway then accepts all of ' +
    'it. If a change fails, those before it stay: apply the file again to make the rest. What the ' +
    'file leaves out stays as it is. New secrets are printed once.',
  options: [{ flags: '-f, --file <path>', help: 'YAML or JSON file', isRequired: true }],
  flags: [
    ['--prune', 'also delete what a section of the file does not have; asks for confirmation'],
    ['--dry-run', 'only print the plan; exits with 2 if something would change'],
    YES,
  ],
  examples: [
    ['rollgate apply -f acme.yaml --dry-run', 'print the plan'],
    ['rollgate apply -f acme.yaml', 'make the changes'],
    ['rollgate apply -f acme.yaml --prune --yes', 'delete the rest as well, for scripts'],
  ],
};

/** `rollgate apply` */
export const addApplyCommand = (program: Command, context: CliContext): void => {
  addCommand(program, context, FORM, async ({ session, fields, has }) => {
    const { file } = Fields.parse(fields);
    const plan = await readPlan(session, file, has('prune'));
    const { slug, steps } = plan;
    const print = (applied: boolean, secrets: readonly object[] = []): void =>
      session.print({
        people: () => (applied ? '' : planText(plan, session.paint)),
        json: JSON.stringify({
          slug,
          applied,
          steps: steps.map(shownStep),
          kept: plan.kept,
          secrets,
        }),
        quiet: () => steps.map(({ kind, name }) => `${kind} ${name}`).join('\n'),
      });

    const refused = steps.filter(({ refusal }) => refusal !== undefined);
    if (has('dryRun') || steps.length === 0 || refused.length > 0) print(false);
    if (refused.length > 0)
      throw new CliError(
        'FAILED',
        `The gateway would refuse ${countOf(refused.length, 'change')}. Nothing was changed.`,
        refused.map(({ kind, name, refusal = '' }) => printable(`${kind} ${name}: ${refusal}`)),
      );
    if (has('dryRun') && steps.length > 0) throw new SilentExit(EXIT.usage);
    if (has('dryRun') || steps.length === 0) return;

    session.note(`${planText(plan, session.notePaint)}\n`);
    await confirmDeletions(plan, has('yes'), context);
    const secrets: CreatedSecret[] = [];
    let made = 0;
    try {
      await session.call((api) =>
        applyTenantPlan(
          api,
          plan,
          (step) => {
            made += 1;
            session.note(`${doneText(step)}\n`);
          },
          secrets,
        ),
      );
    } finally {
      if (made < steps.length)
        session.note(
          `Made ${made} of ${countOf(steps.length, 'change')}. Correct the cause, then apply the file again to make the rest.\n`,
        );
      for (const { url, secret } of secrets)
        session.note(`\nSecret of ${printable(url)}, shown only now:\n  ${secret}\n`);
    }
    print(true, secrets);
  });
};

const readPlan = async (session: Session, path: string, prune: boolean): Promise<TenantPlan> => {
  const file = readFile(path, session.context.cwd);
  try {
    return await session.call((api) => planTenant(api, file.settings, { prune }));
  } catch (error) {
    if (!(error instanceof TenantFileError)) throw error;
    return usageError(`${file.placeOf(error.path)}: ${error.message}`);
  }
};

const readFile = (path: string, cwd: string): ConfigFile => {
  try {
    return readConfigFile(resolve(cwd, path), cwd);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return usageError('Cannot read the file.', ...error.problems.map(problemLine));
  }
};

const confirmDeletions = async (
  { slug, steps }: TenantPlan,
  yes: boolean,
  context: CliContext,
): Promise<void> => {
  const deletions = steps.filter(({ action }) => action === 'delete').length;
  if (deletions === 0) return;
  const warning = `This deletes ${countOf(deletions, 'item')} of ${slug}. This cannot be undone.`;
  await confirm({ warning, word: slug, yes }, context);
};

const countOf = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun}` : `${count} ${noun}s`;

const SIGNS = { create: '+', update: '~', delete: '-' } as const;
const DONE = { create: 'Created', update: 'Updated', delete: 'Deleted' } as const;

const nameOf = ({ kind, name }: Pick<TenantStep, 'kind' | 'name'>): string =>
  printable(kind === 'attributes' ? 'attributes of users' : `${kind} ${name}`);

const doneText = (step: TenantStep): string => `${DONE[step.action]} ${nameOf(step)}.`;

const planText = ({ slug, steps, kept }: TenantPlan, paint: Paint): string => {
  const lines = steps.flatMap((step) => stepLines(step, paint));
  const rest = kept.map((item) => paint.dim(`  = ${nameOf(item)}, not in the file`));
  const title =
    steps.length === 0
      ? `Tenant ${slug} is what the file says.`
      : `${countOf(steps.length, 'change')} of ${slug}:`;
  const hint = kept.length === 0 ? [] : ['Pass --prune to delete what is not in the file.'];
  return `${[paint.bold(title), ...lines, ...rest, ...hint].join('\n')}\n`;
};

const stepLines = (step: TenantStep, paint: Paint): readonly string[] => {
  const { action, changes } = step;
  const colour = { create: paint.green, update: paint.yellow, delete: paint.red }[action];
  return [
    colour(`  ${SIGNS[action]} ${nameOf(step)}`),
    ...changes.map(({ field, before, after }) => {
      const old = before === undefined ? '' : `${valueText(before)} → `;
      return printable(`      ${field}: ${old}${after === undefined ? 'none' : valueText(after)}`);
    }),
    ...effectsOf(step).map((effect) => paint.dim(printable(`      ${effect}`))),
  ];
};

const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** What it means for users. */
const effectsOf = ({ preview }: TenantStep): readonly string[] => {
  if (!preview) return [];
  const { events, event_count: count, role_change_summary: roles } = preview;
  const names = [...new Set(events.map(({ event }) => event))].join(', ');
  return [
    ...(count > 0 ? [`${countOf(count, 'event')}: ${names}`] : []),
    ...roles.map(
      (change) => `${countOf(change.count, 'user')}: role ${change.from} → ${change.to}`,
    ),
  ];
};

const shownStep = ({ action, kind, name, changes, preview, refusal }: TenantStep): object => ({
  ...{ action, kind, name, changes },
  ...(preview && {
    events: preview.event_count,
    role_changes: preview.role_change_summary,
    seats: preview.seats,
  }),
  ...(refusal !== undefined && { refusal }),
});
