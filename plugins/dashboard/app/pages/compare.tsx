import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  COMPARED_FIELDS,
  type ComparedField,
  compareUsers,
  comparisonAsCsv,
  connectorForExport,
  type ExportColumns,
  exportForConnector,
  MAX_EXPORT_BYTES,
  type ProviderExport,
  readExportHeader,
  readProviderExport,
  type UserComparison,
  type UserDifference,
  type UserHere,
  usersToCompare,
  type UserThere,
} from 'rollgate/client';
import { useParams } from '../address.ts';
import { client } from '../api/client.ts';
import { useData } from '../api/use-data.ts';
import { Button } from '../components/button.tsx';
import { Code } from '../components/copy.tsx';
import { Icon } from '../components/icon.tsx';
import { Empty, ErrorNote, Note } from '../components/note.tsx';
import { Page, Section } from '../components/page.tsx';
import { type Column, Table, UserName } from '../components/table.tsx';
import { counted } from '../counted.ts';
import type { PageProps } from '../page-route.ts';
import { useAction } from '../use-action.ts';

/** Of each list; the download has all. */
const SHOWN = 200;
const PLAN_FILE = 'compare-people.csv';

const TITLES: Readonly<Record<ComparedField, string>> = {
  external_id: 'External ID',
  user_name: 'User name',
  email: 'Email',
  display_name: 'Display name',
  active: 'Status',
};

const NONE = 'not in the file';

/** Two columns, such as first and last name, are one choice. */
const joined = (titles: readonly string[] = []): string => titles.join(' + ');

/** Which column of the file is which field, as recognised and then as chosen. */
const Columns = ({
  header,
  columns,
  onChange,
}: {
  readonly header: readonly string[];
  readonly columns: ExportColumns;
  readonly onChange: (columns: ExportColumns) => void;
}) => (
  <div class="filters cluster" role="group" aria-label="Columns of the file">
    {COMPARED_FIELDS.map((field) => {
      const chosen = joined(columns[field]);
      const choices = [...new Set([NONE, ...(chosen === '' ? [] : [chosen]), ...header])];
      return (
        <label key={field}>
          {TITLES[field]}
          <select
            value={chosen === '' ? NONE : chosen}
            onChange={({ currentTarget: { value } }) => {
              if (value === chosen) return;
              const { [field]: _before, ...others } = columns;
              onChange(value === NONE ? others : { ...others, [field]: [value] });
            }}
          >
            {choices.map((title) => (
              <option key={title}>{title}</option>
            ))}
          </select>
        </label>
      );
    })}
  </div>
);

const textOf = (value: string | boolean | null): string =>
  typeof value === 'boolean' ? (value ? 'active' : 'inactive') : (value ?? 'none');

const hereColumns = (slug: string): readonly Column<UserHere>[] => [
  {
    title: 'User',
    cell: ({ id, display_name: name, email, user_name: userName }) => (
      <UserName href={`/t/${slug}/users/${id}`} name={name} detail={email ?? userName} />
    ),
  },
  { title: 'User name', cell: ({ user_name: name }) => name, isMinor: true },
];

const THERE: readonly Column<UserThere>[] = [
  {
    title: 'Name',
    cell: ({ display_name: name, user_name: userName, email, external_id: id }) =>
      name ?? userName ?? email ?? id,
  },
  { title: 'User name', cell: ({ user_name: name, email }) => name ?? email ?? '' },
  { title: 'Line', figure: 'line', isMinor: true },
];

const differentColumns = (slug: string): readonly Column<UserDifference>[] => [
  {
    title: 'User',
    cell: ({ user: { id, display_name: name, email, user_name: userName } }) => (
      <UserName href={`/t/${slug}/users/${id}`} name={name} detail={email ?? userName} />
    ),
  },
  {
    title: 'Here, and in the export',
    cell: ({ changes }) => (
      <ul>
        {changes.map(({ field, here, there }) => (
          <li key={field}>
            {TITLES[field]}: {textOf(here)} <span class="quiet">/ {textOf(there)}</span>
          </li>
        ))}
      </ul>
    ),
  },
  { title: 'Line', figure: 'line', isMinor: true },
];

const List = <Row extends object>({
  title,
  lead,
  columns,
  rows,
  by,
}: {
  readonly title: string;
  readonly lead: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly by: keyof Row;
}) => (
  <Section title={`${title} (${rows.length})`} lead={lead} flush>
    {rows.length === 0 ? (
      <Empty icon="check" title="None" />
    ) : (
      <Table caption={title} columns={columns} rows={rows.slice(0, SHOWN)} by={by} />
    )}
    {rows.length > SHOWN && (
      <p class="table-note">{`Showing the first ${SHOWN} of ${rows.length}. The download has all.`}</p>
    )}
  </Section>
);

/** A file that the browser makes. */
const Download = ({
  label,
  name,
  text,
}: {
  readonly label: string;
  readonly name: string;
  readonly text: string;
}) => {
  const href = useMemo(() => URL.createObjectURL(new Blob([text], { type: 'text/csv' })), [text]);
  useEffect(() => () => URL.revokeObjectURL(href), [href]);
  return (
    <a role="button" class="secondary" href={href} download={name}>
      <Icon name="download" />
      {label}
    </a>
  );
};

interface Compared {
  readonly from: ProviderExport;
  readonly found: UserComparison;
}

const Result = ({
  slug,
  hasPlan,
  of: { from, found },
}: {
  readonly slug: string;
  /** Not of a group, which has only some of the users. */
  readonly hasPlan: boolean;
  readonly of: Compared;
}) => {
  const { only_here: here, only_there: there, different, bad_lines: bad } = found;
  const csv = useMemo(() => comparisonAsCsv(found), [found]);
  const plan = useMemo(() => exportForConnector(from), [from]);
  return (
    <>
      <Section
        title="Result"
        step={2}
        lead={`${here.length} only here, ${there.length} only in the export, ${different.length} different, ${found.same} the same.`}
        actions={<Download label="CSV" name={`compared-${slug}.csv`} text={csv} />}
      >
        {bad.length > 0 ? (
          <Note tone="warning">
            <p>{`${counted(bad.length, 'line')} with a problem:`}</p>
            <ul>
              {bad.slice(0, 20).map(({ line, message }) => (
                <li key={line}>{`Line ${line}: ${message}`}</li>
              ))}
            </ul>
            {bad.length > 20 && <p>The download lists all of them.</p>}
          </Note>
        ) : (
          <p class="quiet">All lines of the file were read.</p>
        )}
      </Section>
      <List
        title="Only here"
        lead="Active users who are not in the export."
        columns={hereColumns(slug)}
        rows={here}
        by="id"
      />
      <List
        title="Only in the export"
        lead="Users of the export who are not here."
        columns={THERE}
        rows={there}
        by="line"
      />
      <List
        title="Different"
        lead="Users who are in both with other values."
        columns={differentColumns(slug)}
        rows={different}
        by="line"
      />
      {hasPlan && (
        <Section
          title="As a plan"
          step={3}
          lead="A plan of the csv connector shows what making this tenant like the export would change."
          actions={<Download label="Users for the connector" name={PLAN_FILE} text={plan} />}
        >
          <p>
            Put the file into a folder of the gateway, add this to the configuration, restart the
            gateway, and run <code>{`rollgate connector plan ${slug} compare`}</code>. A plan
            changes nothing.
          </p>
          <Code
            of={connectorForExport({ slug, folder: '/srv/compare', file: PLAN_FILE }, from, found)}
            what="the configuration"
          />
        </Section>
      )}
    </>
  );
};

const decode = async (file: File): Promise<string> => {
  if (file.size > MAX_EXPORT_BYTES) throw new RangeError('The file is larger than 32 MiB.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new RangeError('The file is not UTF-8. In a spreadsheet, save it as "CSV UTF-8".');
  }
};

/** Whose members are compared; undefined: all users. */
const useCompared = (slug: string) => {
  const [{ group, room }] = useParams('group', 'room');
  const path = (id: string) => (id === '' ? null : { path: { slug, id } });
  const { data: ofGroup } = useData('/admin/v1/tenants/{slug}/groups/{id}', path(group));
  const { data: ofRoom } = useData('/admin/v1/tenants/{slug}/rooms/{id}', path(room));
  if (group !== '')
    return { kind: 'group', title: 'Group', id: group, name: ofGroup?.display_name } as const;
  if (room !== '') return { kind: 'room', title: 'Room', id: room, name: ofRoom?.name } as const;
  return undefined;
};

/** Compares users, or the members of a group or room, with an export of the identity provider. */
const Compare = ({ slug }: PageProps) => {
  const of = useCompared(slug);
  const [file, setFile] = useState<{ readonly text: string; readonly header: readonly string[] }>();
  const [columns, setColumns] = useState<ExportColumns>({});
  const [problem, setProblem] = useState<string>();
  const [compared, setCompared] = useState<Compared>();
  const { isBusy, error, run } = useAction();
  /** What is wrong with the file is a RangeError. */
  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    setCompared(undefined);
    try {
      await work();
    } catch (fault) {
      if (!(fault instanceof RangeError)) throw fault;
      setProblem(fault.message);
    }
  };
  const open = (chosen: File) =>
    attempt(async () => {
      setFile(undefined);
      const text = await decode(chosen);
      const { header, columns: recognised } = readExportHeader(text);
      setFile({ text, header });
      setColumns(recognised);
    });
  const compare = (text: string) =>
    run(() =>
      attempt(async () => {
        const from = readProviderExport(text, columns);
        const users = usersToCompare(client, slug, of ? { [of.kind]: of.id } : {});
        const found = await compareUsers(users, from);
        setCompared({ from, found });
      }),
    );
  return (
    <Page
      title={
        of?.name === undefined ? 'Compare with an export' : `Compare ${of.name} with an export`
      }
      up={
        of
          ? { href: `/t/${slug}/${of.kind}s/${of.id}`, title: of.name ?? of.title }
          : { href: `/t/${slug}/users`, title: 'Users' }
      }
      lead="Users only here, only in the export, or different. The file stays in your browser."
    >
      <Section title="File" step={1}>
        <label>
          {of
            ? `The identity provider's export of the members of this ${of.kind}, as CSV`
            : "The identity provider's export of users, as CSV"}
          <input
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(event) => {
              const [chosen] = event.currentTarget.files ?? [];
              if (chosen) void open(chosen);
            }}
          />
          <small>
            The columns of Okta, Entra ID and Google are recognised. Up to 100,000 rows, UTF-8.
          </small>
        </label>
        {file && (
          <>
            <Columns
              header={file.header}
              columns={columns}
              onChange={(next) => {
                setColumns(next);
                setCompared(undefined);
              }}
            />
            <Button
              label="Compare"
              aria-busy={isBusy}
              disabled={isBusy}
              onClick={() => void compare(file.text)}
            />
          </>
        )}
      </Section>
      {problem !== undefined && (
        <Note tone="bad">
          <p>{problem}</p>
        </Note>
      )}
      {error && <ErrorNote error={error} />}
      {compared && <Result slug={slug} hasPlan={!of} of={compared} />}
    </Page>
  );
};

export default Compare;
