import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeReadError } from '../../../config/config-error.js';
import {
  compareUsers,
  MAX_EXPORT_BYTES,
  type ProviderExport,
  readProviderExport,
  rowsOfComparison,
  type UserComparison,
  type UserHere,
  usersToCompare,
  type UserThere,
} from '../../client/index.js';
import type { CliContext } from '../cli-context.js';
import { CliError, SilentExit, usageError } from '../cli-error.js';
import type { Action } from '../resource.js';
import { ADMIN_ONLY, type Session } from '../session.js';
import { renderSection, type Section } from '../table.js';
import { yesNo } from '../terminal-text.js';

/** Of each list, as a table. */
const MAX_SHOWN = 100;

const readExport = (file: string, { cwd }: CliContext): ProviderExport => {
  const bytes = readBytes(resolve(cwd, file), file);
  try {
    return readProviderExport(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof RangeError) return usageError(`${file}: ${error.message}`);
    return usageError(`${file} is not UTF-8.`, 'In a spreadsheet, save it as "CSV UTF-8".');
  }
};

const readBytes = (path: string, file: string): Uint8Array => {
  try {
    if (statSync(path).size > MAX_EXPORT_BYTES) usageError(`${file} is larger than 32 MiB.`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    return usageError(`${describeReadError(file, error)}.`);
  }
};

const USER_COLUMNS = [
  { title: 'USER NAME', wrapAt: 40 },
  { title: 'EMAIL', wrapAt: 40 },
  { title: 'NAME', wrapAt: 40 },
  { title: 'EXTERNAL ID', wrapAt: 40 },
];

const cellsOf = (user: UserHere | UserThere) =>
  [user.user_name, user.email, user.display_name, user.external_id] as const;

const text = (value: string | boolean | null): string | null =>
  typeof value === 'boolean' ? yesNo(value) : value;

const sectionsOf = (found: UserComparison): readonly (Section & { readonly count: number })[] => {
  const { only_here: here, only_there: there, different, bad_lines: bad } = found;
  return [
    {
      count: here.length,
      title: `Only here (${here.length})`,
      columns: USER_COLUMNS,
      rows: here.slice(0, MAX_SHOWN).map(cellsOf),
    },
    {
      count: there.length,
      title: `Only in the export (${there.length})`,
      columns: [...USER_COLUMNS, { title: 'LINE', align: 'right' }],
      rows: there.slice(0, MAX_SHOWN).map((user) => [...cellsOf(user), String(user.line)]),
    },
    {
      count: different.length,
      title: `Different (${different.length})`,
      columns: [
        { title: 'USER', wrapAt: 40 },
        { title: 'FIELD' },
        { title: 'HERE', wrapAt: 40 },
        { title: 'EXPORT', wrapAt: 40 },
        { title: 'LINE', align: 'right' },
      ],
      rows: different
        .slice(0, MAX_SHOWN)
        .flatMap(({ user, line, changes }) =>
          changes.map(({ field, here: one, there: other }) => [
            user.user_name,
            field,
            text(one),
            text(other),
            String(line),
          ]),
        ),
    },
    {
      count: bad.length,
      title: `Lines with a problem (${bad.length})`,
      columns: [{ title: 'LINE', align: 'right' }, { title: 'PROBLEM' }],
      rows: bad.slice(0, MAX_SHOWN).map(({ line, message }) => [String(line), message]),
    },
  ];
};

const printComparison = (session: Session, found: UserComparison): void => {
  const sections = sectionsOf(found).filter(({ count }) => count > 0);
  session.print({
    people: () =>
      [
        ...sections.map(
          (section) =>
            renderSection(section, session.paint) +
            (section.count > MAX_SHOWN
              ? `and ${section.count - MAX_SHOWN} more; all with -o csv or -o json\n`
              : ''),
        ),
        `${found.same} the same.\n`,
      ].join('\n'),
    json: JSON.stringify(session.format === 'csv' ? rowsOfComparison(found) : found),
  });
  // Something was found, as "doctor" exits, too.
  if (sections.length > 0) throw new SilentExit();
};

/** `compare` of users, or of the members of a group or room. */
export const compareAction = (of: 'user' | 'group' | 'room'): Action<unknown> => {
  const what = of === 'user' ? 'the users of a tenant' : `the members of a ${of}`;
  return {
    name: 'compare',
    access: ADMIN_ONLY,
    ...(of === 'user' && { isOnCollection: true }),
    arguments: [{ name: '<file>', help: "the identity provider's export, as CSV in UTF-8" }],
    summary: `compare ${what} with an identity provider's export`,
    description:
      `Compare ${what} with a CSV export of the identity provider: who is only here, only in the ` +
      'export, or different. Nothing is changed, and the file is not sent to the gateway. The ' +
      'columns of Okta, Entra ID and Google are recognised. Exits with 1 if there is a difference ' +
      'or a line with a problem.',
    run: async ({ session, id, args: [file = ''] }) => {
      const from = readExport(file, session.context);
      const found = await session.call((api) =>
        compareUsers(
          usersToCompare(api, session.tenant ?? '', of === 'user' ? {} : { [of]: id }),
          from,
        ),
      );
      printComparison(session, found);
      return 'printed';
    },
    examples: [
      [`rollgate ${of} compare acme ${of === 'user' ? '' : 'Dispatch '}export.csv`, 'as tables'],
      [
        `rollgate ${of} compare acme ${of === 'user' ? '' : 'Dispatch '}export.csv -o csv`,
        'for a spreadsheet',
      ],
    ],
  };
};
