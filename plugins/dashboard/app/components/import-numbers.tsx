import { useState } from 'preact/hooks';
import { splitCsv } from 'rollgate/client';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useAction } from '../use-action.ts';
import { Badge, type Tone } from './badges.tsx';
import { ChoiceCards } from './fields.tsx';
import { Empty, ErrorNote, Note } from './note.tsx';
import { Page, Section } from './page.tsx';
import { refusalOf } from './previewed-write.tsx';
import { type Column, Table } from './table.tsx';
import { showToast } from './toasts.tsx';

type Line = Schema<'SmsImport'>['lines'][number] & {
  /** As in the file. */
  readonly text: string;
};

const STATES: Readonly<Record<Line['result'], readonly [tone: Tone, title: string]>> = {
  added: ['good', 'New'],
  updated: ['accent', 'Changed'],
  unchanged: ['neutral', 'Unchanged'],
  invalid: ['bad', 'Invalid'],
};

const MODES = [
  ['add', 'Add and update', 'Numbers missing from the file stay on the list.'],
  ['replace', 'Replace the list', 'Numbers missing from the file are removed.'],
] as const;

type Mode = (typeof MODES)[number][0];

const SHOWN = 200;

const COLUMNS: readonly Column<Line>[] = [
  { title: 'Row', cell: ({ text }) => text },
  {
    title: 'Status',
    cell: ({ result, message }) => (
      <span class="two-lines">
        <span>
          <Badge tone={STATES[result][0]}>{STATES[result][1]}</Badge>
        </span>
        {message !== undefined && <small>{message}</small>}
      </span>
    ),
  },
  { title: 'Line', kind: 'figure', isMinor: true, cell: ({ line }) => line },
];

const numbers = (count: number): string => (count === 1 ? '1 number' : `${count} numbers`);

const EXAMPLE = `phone_number,display_name,valid_until
+49 30 901820,Night desk,
+44 20 7946 0018,Harbour office,2027-01-01`;

const IMPORT = '/admin/v1/tenants/{slug}/sms-lists/{id}/members/import';

/** The lines of a file with their results, invalid ones first. */
const linesOf = (file: string, { lines }: Schema<'SmsImport'>): readonly Line[] => {
  const texts = new Map(splitCsv(file).map(({ line, cells }) => [line, cells.join(', ')]));
  const all = lines.map((line) => ({ ...line, text: texts.get(line.line) ?? '' }));
  return [
    ...all.filter(({ result }) => result === 'invalid'),
    ...all.filter(({ result }) => result !== 'invalid'),
  ];
};

/** Imports numbers from CSV: read, preview, then send. */
export const ImportNumbers = ({
  path,
  list,
  up,
  onDone,
}: {
  readonly path: { readonly slug: string; readonly id: string };
  readonly list: Schema<'SmsList'>;
  readonly up: { readonly href: string; readonly title: string };
  readonly onDone: () => void;
}) => {
  const [text, setText] = useState('');
  const [mode, setMode] = useState<Mode>('add');
  const [preview, setPreview] = useState<Schema<'SmsImport'>>();
  const { isBusy, error, run } = useAction();
  const change = (next: string) => {
    setText(next);
    setPreview(undefined);
  };
  const look = (chosen: Mode) =>
    run(async () => {
      const options = { path, query: { mode: chosen }, body: text };
      const result = await gateway.preview('post', IMPORT, options);
      const refusal = refusalOf(result);
      if (refusal) throw refusal;
      setPreview(result.body as Schema<'SmsImport'>);
    });
  const lines = preview ? linesOf(text, preview) : [];
  const invalid = lines.filter(({ result }) => result === 'invalid').length;
  const {
    members_added: added = 0,
    members_updated: updated = 0,
    members_removed: removed = 0,
  } = preview ?? {};
  const send = () =>
    run(async () => {
      const done = await gateway.post(IMPORT, { path, query: { mode }, body: text });
      showToast(
        `Imported into ${list.name}: ${done.members_added} added, ${done.members_updated} changed` +
          (mode === 'replace' ? `, ${done.members_removed} removed` : ''),
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
          lead={`${added} new, ${updated} changed, ${lines.length - invalid - added - updated} unchanged, ${invalid} invalid${mode === 'replace' ? `, ${removed} removed` : ''}`}
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
          {lines.length === 0 ? (
            <Empty icon="message" title="No rows found" />
          ) : (
            <>
              <Table
                caption="Rows of the file"
                columns={COLUMNS}
                rows={lines.slice(0, SHOWN)}
                by="line"
              />
              {lines.length > SHOWN && (
                <p class="table-note">{`Showing the first ${SHOWN} of ${lines.length} rows, invalid ones first.`}</p>
              )}
            </>
          )}
        </Section>
      )}
    </Page>
  );
};
