import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { whyUnreadable } from '../../../config/why-unreadable.js';
import { AlreadyTold, EXIT, misuse } from '../command-failure.js';
import { addExamples, addHelpSection } from '../help.js';
import { addPaging, describePage, pageQueryOf } from '../paging.js';
import { parseSlug } from '../parse-argument.js';
import { openTenantSession, type Session } from '../session.js';
import { findSmsList } from '../sms/find-sms-list.js';
import { type ImportCounts, importMembers, rehearseImport } from '../sms/import-members.js';
import { type BadLine, readSmsCsv } from '../sms/read-csv.js';
import { smsListFields, smsListTable } from '../sms/show-sms-lists.js';
import { CSV_HEADER, csvLineOf } from '../sms/write-csv.js';
import { SmsListPage, SmsMemberPage } from '../views.js';
import type { World } from '../world.js';

/** The tenant and the key: numbers are told to keys with the scope for it, and to nobody else. */
const addTenantOptions = (command: Command): Command => {
  command
    .option('--tenant <slug>', "the tenant's slug; else ROLLGATE_TENANT", parseSlug)
    .option('--key <key>', 'an API key; ROLLGATE_API_KEY keeps it out of histories');
  addHelpSection(command, 'Needs', [
    ['api:sms_lists:read', 'a key with this scope, to see lists and numbers'],
    ['api:sms_lists:write', 'and with this one, to change them'],
  ]);
  return command;
};

const NO_LISTS = "No SMS lists yet. POST /sms-lists of the tenant's API makes one: see /docs/.\n";

const addList = (sms: Command, world: World): void => {
  const list = addTenantOptions(addPaging(sms.command('list')))
    .summary('list SMS lists')
    .description("Lists a tenant's SMS lists, oldest first.")
    .action(async () => {
      const session = openTenantSession(world, list);
      const query = pageQueryOf(list);
      const answer = await session.client.request('GET', '/sms-lists', { query });
      const page = session.read(SmsListPage, answer);
      session.print({
        people: () => smsListTable(page.sms_lists, session),
        json: answer.text,
        quiet: () => page.sms_lists.map(({ id }) => id).join('\n'),
      });
      const rest = describePage(page, page.sms_lists.length, 'lists');
      if (page.total === 0) session.note(NO_LISTS);
      if (rest !== undefined) session.note(`\n${rest}\n`);
    });
  addExamples(list, [['rollgate sms list --tenant acme', 'as a table']]);
};

const addShow = (sms: Command, world: World): void => {
  const show = addTenantOptions(sms.command('show'))
    .summary('show one SMS list')
    .description('Shows one SMS list, without its numbers.')
    .argument('<list>', "the list's id or name")
    .action(async (wanted: string) => {
      const session = openTenantSession(world, show);
      const list = await findSmsList(session, wanted);
      session.print({
        people: () => smsListFields(list, session),
        json: JSON.stringify(list),
        quiet: () => list.id,
      });
    });
  addExamples(show, [['rollgate sms show "Night shift" --tenant acme', 'by its name']]);
};

// ── Import ───────────────────────────────────────────────────────────────────────────────────────

const ImportOptions = z.object({
  list: z.string(),
  dryRun: z.boolean().default(false),
  skipBadLines: z.boolean().default(false),
});

const readBytes = (file: string, { cwd }: World): Uint8Array => {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (error) {
    return misuse(`${whyUnreadable(file, error)}.`);
  }
};

/** Spreadsheets save names in the encoding of their country, unless they are told otherwise. */
const readText = (file: string, world: World): string => {
  const bytes = readBytes(file, world);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return misuse(`${file} is not in UTF-8.`, 'In a spreadsheet, save it as "CSV UTF-8".');
  }
};

const progressOf =
  ({ note }: Session, what: string, total: number) =>
  (done: number): void =>
    note(`${what} ${done} of ${total} lines\n`);

const tellBadLines = ({ note }: Session, bad: readonly BadLine[]): void => {
  for (const { line, message } of bad) note(`line ${line}: ${message}\n`);
};

interface Report {
  readonly list: string;
  readonly lines: number;
  readonly counts: ImportCounts;
  readonly bad: readonly BadLine[];
  readonly dryRun: boolean;
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`;

const report = (session: Session, { list, lines, counts, bad, dryRun }: Report): void => {
  const { added, updated } = counts;
  const unchanged = lines - bad.length - added - updated;
  session.print({
    people: () =>
      `${dryRun ? 'Would add' : 'Added'} ${added}, ${dryRun ? 'update' : 'updated'} ${updated}, ` +
      `${dryRun ? 'leave' : 'left'} ${unchanged} as they are; ${count(bad.length, 'bad line')}.\n`,
    json: JSON.stringify({
      list_id: list,
      lines,
      ...counts,
      unchanged,
      bad_lines: bad,
      dry_run: dryRun,
    }),
  });
};

const addImport = (sms: Command, world: World): void => {
  const load = addTenantOptions(sms.command('import'))
    .summary('add the numbers of a CSV file to a list, or update them')
    .description(
      'Reads a CSV file with the columns phone_number, display_name, valid_from and valid_until; ' +
        'the first one is needed. Every line is checked before anything is changed: with bad ' +
        'lines nothing is, unless they are to be skipped. Numbers that are not in the file stay.',
    )
    .argument('<file>', 'the CSV file')
    .requiredOption('--list <list>', "the list's id or name")
    .option('--dry-run', 'only tell what would change and which lines are bad')
    .option('--skip-bad-lines', 'import the others')
    .action(async (file: string) => {
      const { list: wanted, dryRun, skipBadLines } = ImportOptions.parse(load.opts());
      const csv = readSmsCsv(readText(file, world));
      const session = openTenantSession(world, load);
      const { id } = await findSmsList(session, wanted);
      const path = `/sms-lists/${id}/members`;
      const rehearsed = await rehearseImport(session, csv, {
        path,
        onProgress: progressOf(session, 'Checked', csv.rows.length),
      });
      const { good, bad } = rehearsed;
      tellBadLines(session, bad);
      const told = { list: id, lines: csv.rows.length + csv.bad.length, bad };
      const stops = bad.length > 0 && !skipBadLines;
      if (dryRun || stops) {
        report(session, { ...told, counts: rehearsed.counts, dryRun: true });
        if (stops && !dryRun)
          session.note('Nothing was changed. --skip-bad-lines imports the other lines.\n');
        if (bad.length > 0) throw new AlreadyTold(EXIT.refused);
        return;
      }
      const onProgress = progressOf(session, 'Imported', good.length);
      const counts = await importMembers(session, good, { path, onProgress });
      report(session, { ...told, counts, dryRun });
    });
  addExamples(load, [
    ['rollgate sms import roster.csv --list "Night shift" --tenant acme --dry-run', 'first a look'],
    ['rollgate sms import roster.csv --list "Night shift" --tenant acme', 'then do it'],
  ]);
};

// ── Export ───────────────────────────────────────────────────────────────────────────────────────

const ExportOptions = z.object({
  list: z.string(),
  at: z.string().optional(),
  out: z.string().optional(),
});

const PAGE = 500;

const allLines = async (session: Session, id: string, at: string | undefined): Promise<string> => {
  const lines: string[] = [CSV_HEADER];
  for (let offset = 0; ; offset += PAGE) {
    const query = { limit: PAGE, offset, ...(at !== undefined && { valid_at: at }) };
    const answer = await session.client.request('GET', `/sms-lists/${id}/members`, { query });
    const { members, total } = session.read(SmsMemberPage, answer);
    lines.push(...members.map(csvLineOf));
    if (offset + PAGE >= total) return lines.join('');
  }
};

const addExport = (sms: Command, world: World): void => {
  const save = addTenantOptions(sms.command('export'))
    .summary("write a list's numbers as CSV")
    .description(
      'Writes the members of an SMS list as CSV, in the order in which they came. Names that a ' +
        'spreadsheet would run as formulas get an apostrophe, which the import takes away again.',
    )
    .requiredOption('--list <list>', "the list's id or name")
    .option('--at <time>', 'only members whose window holds at this time')
    .option('--out <file>', 'a new file for them, readable to you alone; else the standard output')
    .action(async () => {
      const { list: wanted, at, out } = ExportOptions.parse(save.opts());
      const session = openTenantSession(world, save);
      const { id } = await findSmsList(session, wanted);
      const text = await allLines(session, id, at);
      if (out === undefined) world.out.write(text);
      else {
        writeNew(resolve(world.cwd, out), text);
        session.note(`Written to ${out}.\n`);
      }
    });
  addExamples(save, [
    ['rollgate sms export --list "Night shift" --tenant acme --out roster.csv', 'into a file'],
  ]);
};

/** Numbers of people: for the eyes of whoever asked, and never over something else. */
const writeNew = (path: string, text: string): void => {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unwritable';
    if (code !== 'EEXIST') misuse(`${path} cannot be written (${code}).`);
    misuse(`${path} is there already.`, 'An export goes over no file: give --out another name.');
  }
};

export const addSmsCommands = (program: Command, world: World): void => {
  const sms = program
    .command('sms')
    .summary('list SMS lists, import and export their numbers')
    .description(
      'SMS lists: who may be sent text messages, and when. These commands speak to the tenant ' +
        'API with an API key: the admin token sees no numbers.',
    );
  addList(sms, world);
  addShow(sms, world);
  addImport(sms, world);
  addExport(sms, world);
};
