import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { splitCsv } from 'rollgate/client';
import { gateway, type Schema, counted, Button, Empty, ErrorNote, Note } from '../ui.ts';
import { useAction } from '../use-action.ts';
import { StateBadge, type StateWords } from './badges.tsx';
import { ChoiceCards } from './fields.tsx';
import { Page, Section } from './page.tsx';
import { accepted } from './previewed-write.tsx';
import { type Column, Table, TwoLines } from './table.tsx';
import { showToast } from './toasts.tsx';

type Line = Schema<'SmsImport'>['lines'][number] & {
  /** As in the file. */
  readonly text: string;
};

const STATES: Readonly<Record<Line['result'], StateWords>> = {
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
      <TwoLines detail={message}>
        <StateBadge of={STATES[result]} />
      </TwoLines>
    ),
  },
  { title: 'Line', kind: 'figure', isMinor: true, cell: ({ line }) => line },
];

const numbers = (count: number): string => counted(count, 'number');

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

/** The file, as chosen or pasted, and how it changes the list. */
const FileSection = ({
  text,
  mode,
  onText,
  onMode,
  children,
}: {
  readonly text: string;
  readonly mode: Mode;
  readonly onText: (text: string) => void;
  readonly onMode: (mode: Mode) => void;
  readonly children: ComponentChildren;
}) => (
  <Section title="File" step={1}>
    <label>
      CSV file
      <input
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          void file?.text().then(onText);
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
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <small>
        Columns: <code>phone_number</code>, <code>display_name</code>, <code>valid_from</code>,{' '}
        <code>valid_until</code>. Without a header row: phone number, name.
      </small>
    </label>
    <ChoiceCards legend="Mode" name="mode" value={mode} choices={MODES} onChange={onMode} />
    {children}
  </Section>
);

/** What the import changes, row by row, and the button that begins it. */
const PreviewSection = ({
  preview,
  lines,
  mode,
  isBusy,
  onImport,
}: {
  readonly preview: Schema<'SmsImport'>;
  readonly lines: readonly Line[];
  readonly mode: Mode;
  readonly isBusy: boolean;
  readonly onImport: () => void;
}) => {
  const { members_added: added, members_updated: updated, members_removed: removed } = preview;
  const invalid = lines.filter(({ result }) => result === 'invalid').length;
  const unchanged = lines.length - invalid - added - updated;
  const changed = numbers(added + updated);
  return (
    <Section
      title="Preview"
      step={2}
      flush
      lead={`${added} new, ${updated} changed, ${unchanged} unchanged, ${invalid} invalid${mode === 'replace' ? `, ${removed} removed` : ''}`}
      actions={
        <Button
          label={removed > 0 ? `Import ${changed}, remove ${removed}` : `Import ${changed}`}
          class={removed > 0 ? 'danger' : ''}
          isBusy={isBusy}
          disabled={added + updated + removed === 0}
          onClick={onImport}
        />
      }
    >
      {invalid > 0 && (
        <Note tone="warning">
          <p>
            <strong>{counted(invalid, 'invalid row')}</strong> will be skipped. Correct the text
            above and preview again, or import the other rows.
          </p>
        </Note>
      )}
      {lines.length === 0 ? (
        <Empty icon="message" title="No rows found" />
      ) : (
        <Table
          caption="Rows of the file"
          columns={COLUMNS}
          rows={lines.slice(0, SHOWN)}
          by="line"
        />
      )}
      {lines.length > SHOWN && (
        <p class="table-note">{`Showing the first ${SHOWN} of ${lines.length} rows, invalid ones first.`}</p>
      )}
    </Section>
  );
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
  const look = (chosen: Mode) =>
    run(async () => {
      const options = { path, query: { mode: chosen }, body: text };
      const { body } = await accepted(gateway.preview('post', IMPORT, options));
      setPreview(body as Schema<'SmsImport'>);
    });
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
      <FileSection
        text={text}
        mode={mode}
        onText={(next) => {
          setText(next);
          setPreview(undefined);
        }}
        onMode={(next) => {
          setMode(next);
          if (preview) void look(next);
        }}
      >
        <Button
          label="Preview"
          class={preview ? 'secondary' : ''}
          isBusy={isBusy && !preview}
          disabled={isBusy || text.trim() === ''}
          onClick={() => void look(mode)}
        />
      </FileSection>
      {error && <ErrorNote error={error} />}
      {preview && (
        <PreviewSection
          preview={preview}
          lines={linesOf(text, preview)}
          mode={mode}
          isBusy={isBusy}
          onImport={() => void send()}
        />
      )}
    </Page>
  );
};
