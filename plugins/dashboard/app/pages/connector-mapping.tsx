import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type ApiError, asApiError, Cancelled } from '../api/api-error.ts';
import { gateway, type Schema, Button, Empty, ErrorNote, Note, counted } from '../ui.ts';
import { Badge, StateBadge } from '../components/badges.tsx';
import { ItemChanges } from '../components/connector-run.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Facts, Page, Section, Skeleton } from '../components/page.tsx';
import { ITEM_KINDS, valueText } from '../connectors.ts';
import type { PageProps } from '../page-route.ts';
import { readSample, type SampleRecord } from '../sample-records.ts';
import { useAction } from '../use-action.ts';

type Preview = Schema<'ConnectorPreview'>;
type PreviewedRecord = Preview['records'][number];

/** Whose records are shown: those of the source, by their ids or the first ones, or those of a file. */
type People =
  | { readonly ids?: readonly string[]; readonly limit?: number }
  | { readonly records: readonly SampleRecord[]; readonly file: string };

const TYPING_MS = 350;
/** As many as the gateway previews at once. */
const MOST = 50;
const MOST_BYTES = 900_000;
const FIRST: People = { limit: 20 };

/** The user that results, beside the one that exists, and what a run would do. */
const ResultingUser = ({
  slug,
  of: { attributes, user, plan, why, problem },
}: {
  readonly slug: string;
  readonly of: PreviewedRecord;
}) => (
  <div aria-live="polite">
    <p class="row">
      {problem === null ? (
        <StateBadge of={ITEM_KINDS[plan?.kind ?? 'touch']} />
      ) : (
        <Badge tone="bad">Quarantine</Badge>
      )}
      {user ? (
        <span>
          Existing user: <Link href={`/t/${slug}/users/${user.id}`}>{user.name}</Link>
          {!user.active && <span class="quiet"> (deactivated)</span>}
        </span>
      ) : (
        <span class="quiet">No existing user</span>
      )}
    </p>
    {problem !== null && <Note tone="bad" text={problem} />}
    {why !== null && <p class="quiet">{why}</p>}
    {user && plan && <ItemChanges item={plan} />}
    <Facts
      of={attributes
        .filter(({ value, current }) => value !== null || current !== null)
        .map(({ attribute, value, current }) => [
          attribute,
          <>
            {valueText(value)}
            {user && value !== null && valueText(current) === valueText(value) && (
              <small> same</small>
            )}
          </>,
        ])}
    />
  </div>
);

/** The records of a file, as many as fit into a request. */
const readFile = async (
  file: File,
  fields: readonly string[],
): Promise<readonly SampleRecord[]> => {
  const records = readSample((await file.text()).replace(/^\uFEFF/, ''), fields);
  let size = 0;
  return records.slice(0, MOST).filter((record) => {
    size += JSON.stringify(record).length;
    return size < MOST_BYTES;
  });
};

const Sample = ({
  people,
  fields,
  isBusy,
  onChange,
}: {
  readonly people: People;
  /** Of the source, as far as they are known. */
  readonly fields: readonly string[];
  readonly isBusy: boolean;
  readonly onChange: (people: People) => void;
}) => {
  const [id, setId] = useState('');
  const { error, run } = useAction();
  const choose = (file: File) =>
    run(async () => {
      const records = await readFile(file, fields).catch((problem: unknown) => {
        throw new Cancelled(`${file.name} cannot be read. ${String(problem)}`);
      });
      if (records.length === 0)
        throw new Cancelled(
          `${file.name} has no records. Choose a CSV file with a header, or JSON.`,
        );
      onChange({ records, file: file.name });
    });
  return (
    <Section
      title="Sample"
      lead={
        'file' in people
          ? `From ${people.file}. It is not stored.`
          : 'From the source. Secrets and phone numbers are masked.'
      }
      actions={
        <Button
          icon="refresh"
          label="Read a sample from the source"
          class="secondary small"
          isBusy={isBusy}
          onClick={() => onChange({ ...FIRST })}
        />
      }
    >
      <div class="grid">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (id.trim() !== '') onChange({ ids: [id.trim()] });
          }}
        >
          <label for="record-id">Try one person</label>
          <fieldset role="group">
            <input
              id="record-id"
              placeholder="ID in the source"
              autoComplete="off"
              maxLength={200}
              value={id}
              onInput={(event) => setId(event.currentTarget.value)}
            />
            <Button label="Read" type="submit" class="secondary" isBusy={isBusy} />
          </fieldset>
        </form>
        <label>
          CSV or JSON file
          <input
            type="file"
            accept=".csv,.json,.ndjson,.txt,text/csv,application/json"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              if (file) void choose(file);
            }}
          />
        </label>
      </div>
      {error && <ErrorNote error={error} />}
    </Section>
  );
};

/** Previews people with options: at once when the people change, and while someone types, in pauses. */
const usePreview = (
  path: { readonly slug: string; readonly connector: string },
  people: People,
  yaml: string | undefined,
) => {
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(true);
  const before = useRef<People>();
  useEffect(() => {
    const isOther = before.current !== people;
    const controller = new AbortController();
    const load = async () => {
      setBusy(true);
      const asked = 'file' in people ? { records: [...people.records] } : people;
      try {
        const found = await gateway.post(
          '/admin/v1/tenants/{slug}/connectors/{connector}/mapping/preview',
          {
            path,
            body: {
              ...(asked as { readonly limit?: number }),
              ...(!isOther && { reuse: true }),
              ...(yaml !== undefined && { yaml }),
            },
            signal: controller.signal,
          },
        );
        before.current = people;
        setPreview(found);
        setError(undefined);
      } catch (fault) {
        if (controller.signal.aborted) return;
        setError(asApiError(fault));
      }
      setBusy(false);
    };
    const timer = setTimeout(() => void load(), isOther ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [people, yaml]);
  return { preview, error, isBusy };
};

/** What is wrong with the options: in all records, else in some of them. */
const problemsOf = ({ problems, records }: Preview): Preview['problems'] => {
  const failed = records.flatMap(({ rules }) => rules.filter(({ problem }) => problem !== null));
  const targets = new Set(failed.map(({ target }) => target));
  return [
    ...problems,
    ...[...targets].map((target) => {
      const own = failed.filter((rule) => rule.target === target);
      const count = `${counted(own.length, 'record')} of ${records.length}`;
      return { path: `map.${target}`, message: `${count}: ${own[0]?.problem}` };
    }),
  ];
};

/** Selects a line, to show where it is. */
const select = (field: HTMLTextAreaElement | null, line: number): void => {
  const lines = field?.value.split('\n') ?? [];
  const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  field?.focus();
  field?.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
};

/** The options as YAML, with their errors. */
const Options = ({
  yaml,
  preview,
  error,
  onChange,
}: {
  readonly yaml: string;
  readonly preview: Preview;
  readonly error: ApiError | undefined;
  readonly onChange: (yaml: string) => void;
}) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const problems = error ? [] : problemsOf(preview);
  return (
    <>
      <textarea
        ref={field}
        aria-label="Options as YAML"
        aria-describedby="mapping-problems"
        aria-invalid={error !== undefined || problems.length > 0 ? 'true' : undefined}
        rows={18}
        wrap="off"
        spellcheck={false}
        value={yaml}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <div id="mapping-problems" aria-live="polite">
        {error && <ErrorNote error={error} />}
        {problems.length > 0 && (
          <Note tone="warning">
            {problems.map(({ path, message, line }) => (
              <p key={`${path} ${message}`}>
                {line !== undefined && (
                  <>
                    <Button
                      label={`Line ${line}`}
                      class="secondary small"
                      onClick={() => select(field.current, line)}
                    />{' '}
                  </>
                )}
                <code>{path}</code> {message}
              </p>
            ))}
          </Note>
        )}
      </div>
      <details class="event">
        <summary>Attributes that rules can set</summary>
        <p>{preview.targets.join(', ')}</p>
      </details>
    </>
  );
};

const ConnectorMapping = ({ slug, id }: PageProps) => {
  const [people, setPeople] = useState<People>(FIRST);
  const [edited, setEdited] = useState<string>();
  const [at, setAt] = useState(0);
  const { preview, error, isBusy } = usePreview({ slug, connector: id }, people, edited);
  // Of the last records that were found.
  const fields = useRef<readonly string[]>([]);
  if (preview && preview.fields.length > 0) fields.current = preview.fields.map(({ path }) => path);
  const yaml = edited ?? preview?.yaml ?? '';
  const count = preview?.records.length ?? 0;
  const place = Math.min(at, Math.max(0, count - 1));
  const record = preview?.records[place];
  return (
    <Page
      title="Mapping"
      up={{ href: `/t/${slug}/connectors/${encodeURIComponent(id)}`, title: id }}
      lead="See what people of the source become. Nothing is changed here."
    >
      <Sample
        people={people}
        fields={fields.current}
        isBusy={isBusy && preview !== undefined}
        onChange={(next) => {
          setAt(0);
          setPeople(next);
        }}
      />
      {!preview && (error ? <ErrorNote error={error} /> : <Skeleton lines={8} />)}
      {preview && (
        <>
          <div class="filters cluster" role="group" aria-label="Person">
            <Button
              label="Previous"
              class="secondary small"
              disabled={place === 0}
              onClick={() => setAt(place - 1)}
            />
            <Button
              label="Next"
              class="secondary small"
              disabled={place >= count - 1}
              onClick={() => setAt(place + 1)}
            />
            <span>
              {record
                ? `Record ${record.record}, ${place + 1} of ${count}${preview.has_more ? '; the source has more' : ''}`
                : 'No records'}
            </span>
          </div>
          <div class="columns">
            <Section
              title="Options"
              lead={`Try changes here. To apply them, copy them into connectors.${id} of the configuration file and restart the gateway.`}
              actions={<CopyButton text={yaml} what="the options" />}
            >
              <Options yaml={yaml} preview={preview} error={error} onChange={setEdited} />
            </Section>
            <div>
              <Section title="User">{record && <ResultingUser slug={slug} of={record} />}</Section>
              <Section title="Source">
                {record ? (
                  <Facts of={record.fields.map(({ path, value }) => [path, valueText(value)])} />
                ) : (
                  <Empty
                    icon="user"
                    title="No records"
                    text="Read another person, or choose a file."
                  />
                )}
              </Section>
            </div>
          </div>
        </>
      )}
    </Page>
  );
};

export default ConnectorMapping;
