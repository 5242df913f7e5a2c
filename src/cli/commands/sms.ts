import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { csvCell } from '../../client/csv.js';
import { usageError } from '../cli-error.js';
import type { FieldOption } from '../field-option.js';
import { formatTime } from '../format-time.js';
import { parseTime } from '../parse-argument.js';
import { defineResource, type Action } from '../resource.js';
import type { Access, Session } from '../session.js';
import { type Schemas, viewOf } from '../view-of.js';
import { importAction } from './sms-import.js';

const READ: Access = { admin: true, scope: 'api:sms_lists:read' };
/** The admin token sees masked numbers only. */
const READ_NUMBERS: Access = { admin: false, scope: 'api:sms_lists:read' };
const WRITE: Access = { admin: true, scope: 'api:sms_lists:write' };

type SmsListView = Schemas['SmsList'];

const windowOf = ({ valid_from: from, valid_until: until }: SmsListView, now: Date): string => {
  if (from === null && until === null) return 'always';
  const [start, end] = [from && formatTime(from, now), until && formatTime(until, now)];
  return [start && `from ${start}`, end && `until ${end}`].filter(Boolean).join(' ');
};

const OPTIONS: readonly FieldOption[] = [
  {
    flags: '--external-id <id>',
    help: 'id of the list in your own system, or "none"',
    nullable: true,
  },
  {
    flags: '--valid-from <time>',
    help: 'when it becomes valid: a date, a time such as 2027-01-31T08:00:00Z, or "none"',
    nullable: true,
    parse: parseTime,
  },
  {
    flags: '--valid-until <time>',
    help: 'when it stops being valid: a date, a time or "none"',
    nullable: true,
    parse: parseTime,
  },
];

// ── Export ───────────────────────────────────────────────────────────────────────────────────────

const PAGE = 500;

type SmsMember = Schemas['SmsMember'];

const SmsMemberPage = z.object({
  members: z.array(viewOf<SmsMember>('phone_number')),
  total: z.int(),
});

/** A number is never guarded: `+` and digits are harmless, and programs expect E.164. */
const csvLineOf = ({ phone_number, display_name, valid_from, valid_until }: SmsMember): string =>
  [phone_number, csvCell(display_name ?? ''), valid_from ?? '', valid_until ?? ''].join(',') + '\n';

const readCsv = async (session: Session, path: string, at: unknown): Promise<string> => {
  const lines = ['phone_number,display_name,valid_from,valid_until\n'];
  for (let offset = 0; ; offset += PAGE) {
    const query = { limit: PAGE, offset, ...(at !== undefined && { valid_at: at }) };
    const response = await session.client.request('GET', path, { query });
    const { members, total } = session.read(SmsMemberPage, response);
    lines.push(...members.map(csvLineOf));
    if (offset + PAGE >= total) return lines.join('');
  }
};

/** Phone numbers are personal data: the file is for its owner only, and none is overwritten. */
const writeNewFile = (path: string, text: string): void => {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unwritable';
    if (code !== 'EEXIST') usageError(`Cannot write ${path} (${code}).`);
    usageError(`${path} already exists.`, 'Pass another name with --out; no file is overwritten.');
  }
};

const exportAction: Action<SmsListView> = {
  name: 'export',
  access: READ_NUMBERS,
  options: [
    {
      flags: '--at <time>',
      help: 'only numbers that are valid at this time, such as 2027-01-31T08:00:00Z',
      parse: parseTime,
    },
    { flags: '--out <file>', help: 'a new file, readable by you only (default: standard output)' },
  ],
  summary: 'export the numbers of a list as CSV',
  description:
    'Export the numbers of a list as CSV, in the order in which they were added. Names that a ' +
    'spreadsheet would run as formulas are prefixed with an apostrophe, which import removes.',
  run: async ({ session, path, fields: { at, out } }) => {
    const { stdout, cwd } = session.context;
    const text = await readCsv(session, `${path}/members`, at);
    if (typeof out === 'string') {
      writeNewFile(resolve(cwd, out), text);
      session.note(`Exported to ${out}.\n`);
    } else stdout.write(text);
    return 'printed';
  },
  examples: [['rollgate sms export acme "Night shift" --out roster.csv', 'export to a file']],
};

// ── Lists ────────────────────────────────────────────────────────────────────────────────────────

const countNumbers = (count: number): string => (count === 1 ? '1 number' : `${count} numbers`);

export const SMS_LISTS = defineResource({
  name: 'sms',
  noun: 'an SMS list',
  plural: 'SMS lists',
  summary: 'manage SMS lists and their numbers',
  description: 'SMS lists: who can be sent text messages, and when.',
  path: '/sms-lists',
  page: '/sms-lists',
  items: 'sms_lists',
  view: viewOf<SmsListView>('id'),
  fields: [
    { label: 'name', text: ({ name }) => name, wrapAt: 40 },
    { label: 'external id', text: ({ external_id }) => external_id, wrapAt: 24 },
    { label: 'members', text: ({ member_count }) => String(member_count), align: 'right' },
    { label: 'valid', text: (list, { now }) => windowOf(list, now) },
    { label: 'created', time: ({ created_at }) => created_at, only: 'show' },
    { label: 'updated', time: ({ updated_at }) => updated_at, only: 'show' },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
  item: { name: '<list>', help: "the list's id or name", searched: ['name'] },
  readAccess: READ,
  writeAccess: WRITE,
  create: {
    description: 'Create an empty SMS list.',
    arguments: [{ name: '<name>', help: 'unique within the tenant', field: 'name' }],
    options: OPTIONS,
    examples: [
      ['rollgate sms create acme "Night shift" --valid-until 2027-01-01', 'valid until a date'],
    ],
  },
  list: {
    filters: [
      { flags: '--external-id <id>', help: 'only the list with this external id' },
      {
        flags: '--valid-at <time>',
        help: 'only lists that are valid at this time',
        parse: parseTime,
      },
    ],
    examples: [['rollgate sms list acme', 'all lists']],
  },
  show: {
    description: 'Show an SMS list, without its numbers.',
    examples: [['rollgate sms show acme "Night shift"', 'show a list by name']],
  },
  update: {
    description: 'Update an SMS list; fields that are not given stay unchanged.',
    options: [{ flags: '--name <name>', help: 'new name' }, ...OPTIONS],
    examples: [
      [
        'rollgate sms update acme "Night shift" --valid-until none',
        'remove the end of its validity',
      ],
    ],
  },
  delete: {
    summary: 'delete an SMS list and its numbers',
    description: 'Delete an SMS list and its numbers. Asks for confirmation.',
    warning: ({ name, member_count }, tenant) =>
      `This deletes SMS list ${name} of ${tenant} with ${countNumbers(member_count)}. ` +
      'This cannot be undone.',
    examples: [
      ['rollgate sms delete acme "Night shift"', 'asks for confirmation'],
      ['rollgate sms delete acme "Night shift" --yes', 'for scripts'],
    ],
  },
  actions: [importAction, exportAction],
});
