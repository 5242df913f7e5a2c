import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import type { Schema } from '../api/schema.ts';
import {
  type ImportMode,
  type ImportPreview,
  type ListPath,
  type PreviewedRow,
  previewImport,
  type RowState,
  runImport,
} from '../preview-import.ts';
import { readRows } from '../read-csv.ts';
import { Badge, type Tone } from './badges.tsx';
import { ChoiceCards } from './fields.tsx';
import { Empty, ErrorNote, Note } from './note.tsx';
import { Page, Section } from './page.tsx';
import { type Column, Table } from './table.tsx';
import { Time } from './time.tsx';
import { showToast } from './toasts.tsx';

const STATES: Readonly<Record<RowState, readonly [tone: Tone, title: string]>> = {
  added: ['good', 'New'],
  updated: ['accent', 'Changed'],
  unchanged: ['neutral', 'Unchanged'],
  invalid: ['bad', 'Invalid'],
};

const MODES: readonly (readonly [value: ImportMode, title: string, about: string])[] = [
  ['add', 'Add and update', 'Numbers missing from the file stay on the list.'],
  ['replace', 'Replace the list', 'Numbers missing from the file are removed.'],
];

const SHOWN = 200;

const boundOf = (text: string | null) =>
  text === null ? null : Number.isNaN(Date.parse(text)) ? text : <Time at={text} form="absolute" />;

const COLUMNS: readonly Column<PreviewedRow & { readonly line: number }>[] = [
  { title: 'Number', cell: ({ row }) => <code>{row.member.phone_number || '–'}</code> },
  {
    title: 'Status',
    cell: ({ state, why }) => (
      <span class="two-lines">
        <span>
          <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge>
        </span>
        {why !== undefined && <small>{why}</small>}
      </span>
    ),
  },
  { title: 'Name', cell: ({ row }) => row.member.display_name ?? <span class="quiet">none</span> },
  {
    title: 'Valid',
    isMinor: true,
    cell: ({ row: { member } }) => {
      const { valid_from: from = null, valid_until: until = null } = member;
      return from === null && until === null ? (
        <span class="quiet">always</span>
      ) : (
        <span>
          {boundOf(from)} – {boundOf(until)}
        </span>
      );
    },
  },
  { title: 'Line', kind: 'figure', isMinor: true, cell: ({ row }) => row.line },
];

const numbers = (count: number): string => (count === 1 ? '1 number' : `${count} numbers`);

const EXAMPLE = `phone_number,display_name,valid_until
+49 30 901820,Night desk,
+44 20 7946 0018,Harbour office,2027-01-01`;

/** Imports numbers from CSV: read, preview, then send. */
export const ImportNumbers = ({
  path,
  list,
  up,
  onDone,
}: {
  readonly path: ListPath;
  readonly list: Schema<'SmsList'>;
  readonly up: { readonly href: string; readonly title: string };
  readonly onDone: () => void;
}) => {
  const [text, setText] = useState('');
  const [mode, setMode] = useState<ImportMode>('add');
  const [preview, setPreview] = useState<ImportPreview>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const change = (next: string) => {
    setText(next);
    setPreview(undefined);
    setError(undefined);
  };
  const work = async (step: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await step();
    } catch (fault) {
      setError(asApiError(fault));
    } finally {
      setBusy(false);
    }
  };
  const look = (chosen: ImportMode) =>
    work(async () => setPreview(await previewImport(path, chosen, readRows(text))));
  const valid = preview?.rows.filter(({ state }) => state !== 'invalid') ?? [];
  const invalid = (preview?.rows.length ?? 0) - valid.length;
  const { members_added: added = 0, members_updated: updated = 0 } = preview?.changes ?? {};
  const removed = preview?.changes.members_removed ?? 0;
  const send = () =>
    work(async () => {
      const done = await runImport(
        path,
        mode,
        valid.map(({ row }) => row),
      );
      showToast(
        `Imported into ${list.name}: ${done.members_added} added, ${done.members_updated} changed` +
          (mode === 'replace' ? `, ${done.members_removed ?? 0} removed` : ''),
      );
      onDone();
    });
  return (
    <Page
      title={`Import into ${list.name}`}
      up={up}
      lead="Preview the changes before you import them."
    >
      <Section title="File" step={1}>
        <label>
          CSV file
          <input
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(event) => {
              const [chosen] = event.currentTarget.files ?? [];
              void chosen?.text().then(change);
            }}
          />
        </label>
        <label>
          Or paste CSV
          <textarea
            rows={6}
            spellcheck={false}
            placeholder={EXAMPLE}
            value={text}
            onInput={(event) => change(event.currentTarget.value)}
          />
          <small>
            Columns: <code>phone_number</code>, <code>display_name</code>, <code>valid_from</code>,{' '}
            <code>valid_until</code>. Without a header row: phone number, name.
          </small>
        </label>
        <ChoiceCards
          legend="Mode"
          name="mode"
          value={mode}
          choices={MODES}
          onChange={(next) => {
            setMode(next);
            if (preview) void look(next);
          }}
        />
        <button
          type="button"
          class={preview ? 'secondary' : ''}
          aria-busy={isBusy && !preview}
          disabled={isBusy || text.trim() === ''}
          onClick={() => void look(mode)}
        >
          Preview
        </button>
      </Section>
      {error && <ErrorNote error={error} />}
      {preview && (
        <Section
          title="Preview"
          step={2}
          flush
          lead={`${added} new, ${updated} changed, ${valid.length - added - updated} unchanged, ${invalid} invalid${mode === 'replace' ? `, ${removed} removed` : ''}`}
          actions={
            <button
              type="button"
              class={removed > 0 ? 'danger' : ''}
              aria-busy={isBusy}
              disabled={isBusy || added + updated + removed === 0}
              onClick={() => void send()}
            >
              {removed > 0
                ? `Import ${numbers(added + updated)}, remove ${removed}`
                : `Import ${numbers(added + updated)}`}
            </button>
          }
        >
          {invalid > 0 && (
            <Note tone="warning">
              <p>
                <strong>{invalid === 1 ? '1 invalid row' : `${invalid} invalid rows`}</strong> will
                be skipped. Correct the text above and preview again, or import the other rows.
              </p>
            </Note>
          )}
          {preview.rows.length === 0 ? (
            <Empty icon="message" title="No rows found" />
          ) : (
            <>
              <Table
                caption="Rows of the file"
                columns={COLUMNS}
                rows={[...preview.rows.filter(({ state }) => state === 'invalid'), ...valid]
                  .slice(0, SHOWN)
                  .map((previewed) => ({ ...previewed, line: previewed.row.line }))}
                by="line"
              />
              {preview.rows.length > SHOWN && (
                <p class="table-note">{`Showing the first ${SHOWN} of ${preview.rows.length} rows, invalid ones first.`}</p>
              )}
            </>
          )}
        </Section>
      )}
    </Page>
  );
};
