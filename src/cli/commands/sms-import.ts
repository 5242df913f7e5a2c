import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { describeReadError } from '../../../config/config-error.js';
import type { CliContext } from '../cli-context.js';
import { CliError, SilentExit, usageError } from '../cli-error.js';
import type { Action } from '../resource.js';
import type { Session } from '../session.js';
import { type Schemas, viewOf } from '../view-of.js';

const readBytes = (file: string, { cwd }: CliContext): Uint8Array => {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (error) {
    return usageError(`${describeReadError(file, error)}.`);
  }
};

/** Spreadsheets often save files in an encoding of their country. */
const readText = (file: string, context: CliContext): string => {
  const bytes = readBytes(file, context);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return usageError(`${file} is not UTF-8.`, 'In a spreadsheet, save it as "CSV UTF-8".');
  }
};

const Imported = viewOf<Schemas['SmsImport']>('list_id');
const Preview = z.object({ body: z.union([Imported, z.object({ message: z.string() })]) });

/** What an import would change. */
const previewImport = async (
  { client, read }: Session,
  path: string,
  csv: string,
): Promise<Schemas['SmsImport']> => {
  const parts = { query: { dry_run: true }, body: csv };
  const { body } = read(Preview, await client.request('POST', path, parts));
  if ('message' in body) throw new CliError('FAILED', body.message);
  return body;
};

const printImport = (
  session: Session,
  { list_id, lines, members_added: added, members_updated: updated }: Schemas['SmsImport'],
  isDryRun: boolean,
): void => {
  const bad = lines.filter(({ result }) => result === 'invalid');
  const unchanged = lines.length - bad.length - added - updated;
  session.print({
    people: () =>
      (isDryRun
        ? `Dry run: ${added} to add, ${updated} to update`
        : `Imported: ${added} added, ${updated} updated`) +
      `, ${unchanged} unchanged, ${bad.length} invalid.\n`,
    json: JSON.stringify({
      list_id,
      lines: lines.length,
      ...{ added, updated, unchanged },
      bad_lines: bad.map(({ line, message }) => ({ line, message })),
      dry_run: isDryRun,
    }),
  });
};

/** `rollgate sms import` */
export const importAction: Action<unknown> = {
  name: 'import',
  access: { admin: true, scope: 'api:sms_lists:write' },
  arguments: [{ name: '<file>', help: 'the CSV file' }],
  options: [
    {
      flags: '--dry-run',
      field: 'dryRun',
      help: 'show what would change and which lines are invalid, without importing',
    },
    {
      flags: '--skip-bad-lines',
      field: 'skipBadLines',
      help: 'import the valid lines even if others are invalid',
    },
  ],
  summary: 'import numbers from a CSV file',
  description:
    'Add the numbers in a CSV file to a list, or update them. The columns are phone_number ' +
    '(required), display_name, valid_from and valid_until. All lines are checked first; if any is ' +
    'invalid, nothing is imported unless --skip-bad-lines is given. Numbers that are not in the ' +
    'file stay on the list.',
  run: async ({ session, path: list, fields: { dryRun, skipBadLines }, args: [file = ''] }) => {
    const csv = readText(file, session.context);
    const path = `${list}/members/import`;
    const preview = await previewImport(session, path, csv);
    const bad = preview.lines.filter(({ result }) => result === 'invalid');
    for (const { line, message } of bad) session.note(`line ${line}: ${message}\n`);
    const isRefused = bad.length > 0 && skipBadLines !== true;
    if (dryRun === true || isRefused) {
      printImport(session, preview, true);
      if (isRefused && dryRun !== true)
        session.note('Nothing was imported. Pass --skip-bad-lines to import the valid lines.\n');
      if (bad.length > 0) throw new SilentExit();
      return 'printed';
    }
    const imported = await session.client.request('POST', path, { body: csv });
    printImport(session, session.read(Imported, imported), false);
    return 'printed';
  },
  examples: [
    ['rollgate sms import acme "Night shift" roster.csv --dry-run', 'check the file'],
    ['rollgate sms import acme "Night shift" roster.csv', 'import the file'],
  ],
};
