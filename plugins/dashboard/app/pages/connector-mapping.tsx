import { useEffect, useRef, useState } from 'preact/hooks';
import { splitCsv } from 'rollgate/client';
import { Link } from 'wouter-preact';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { Badge, StateBadge } from '../components/badges.tsx';
import { Button } from '../components/button.tsx';
import { Code } from '../components/copy.tsx';
import { type EditedRule, MappingEditor } from '../components/mapping-editor.tsx';
import { Empty, ErrorNote, Note } from '../components/note.tsx';
import { Page, Section, Skeleton } from '../components/page.tsx';
import { ITEM_KINDS } from '../connectors.ts';
import {
  fieldsIn,
  mapInYaml,
  overridesOf,
  recordsInJson,
  recordsOfTable,
  toText,
} from '../mapping-rules.ts';
import type { PageProps } from '../page-route.ts';

type Preview = Schema<'ConnectorPreview'>;
type PreviewedRecord = Preview['records'][number];

/** Whose records are shown: those of the source, by their ids or the first ones, or those of a file. */
type People =
  | { readonly ids?: readonly string[]; readonly limit?: number }
  | { readonly records: readonly Readonly<Record<string, unknown>>[]; readonly file: string };

const TYPING_MS = 350;
/** As many as the gateway previews at once. */
const MOST = 50;
const MOST_BYTES = 900_000;
const FIRST: People = { limit: 20 };

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Of entries, the values: `[{ value: 'ada@example.com', type: 'work' }]`. */
const shown = (value: unknown): string =>
  Array.isArray(value)
    ? value
        .map((one: unknown) =>
          typeof one === 'object' && one !== null && 'value' in one
            ? textOf(one.value)
            : textOf(one),
        )
        .join(', ')
    : textOf(value);

const SourceFields = ({ of: { fields } }: { readonly of: PreviewedRecord }) => (
  <dl class="mapped">
    {fields.map(({ path, value }) => (
      <div key={path}>
        <dt>
          <code class="path">{path}</code>
        </dt>
        <dd>{value === undefined ? <span class="quiet">none</span> : shown(value)}</dd>
      </div>
    ))}
  </dl>
);

/** The user that results, beside the one that exists. */
const ResultingUser = ({
  slug,
  of: { attributes, user, plan, why, problem, rules },
}: {
  readonly slug: string;
  readonly of: PreviewedRecord;
}) => {
  const changed = new Map(plan?.changes.map((change) => [change.attribute, change]));
  const fromOf = (attribute: string): string => {
    const own = rules.filter(
      ({ target }) =>
        target === attribute ||
        target.startsWith(`${attribute}.`) ||
        (attribute === 'emails' && target === 'email'),
    );
    return [...new Set(own.flatMap(({ from }) => from))].join(', ');
  };
  return (
    <div aria-live="polite">
      <p class="lead-line">
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
      {problem !== null && (
        <Note tone="bad">
          <p>{problem}</p>
        </Note>
      )}
      {why !== null && <p class="quiet">{why}</p>}
      <dl class="mapped">
        {attributes
          .filter(({ value, current }) => value !== null || current !== null)
          .map(({ attribute, value, current }) => (
            <div key={attribute}>
              <dt>
                <code class="path">{attribute}</code>
                {fromOf(attribute) !== '' && <small>{fromOf(attribute)}</small>}
              </dt>
              <dd>
                {user && changed.has(attribute) && (
                  <>
                    <del>{current === null ? 'none' : shown(current)}</del>{' '}
                    <span aria-hidden="true">→</span>{' '}
                  </>
                )}
                {value === null ? <span class="quiet">none</span> : <ins>{shown(value)}</ins>}
                {user && current !== null && value !== null && !changed.has(attribute) && (
                  <small>
                    {shown(current) === shown(value) ? 'same' : `stays ${shown(current)}`}
                  </small>
                )}
              </dd>
            </div>
          ))}
      </dl>
      {plan && (plan.groups.length > 0 || plan.warnings.length > 0) && (
        <ul class="change-list">
          {plan.groups.map(({ op, name }) => (
            <li key={name}>
              {op === 'add' ? 'joins' : 'leaves'} group <strong>{name}</strong>
            </li>
          ))}
          {plan.warnings.map((warning) => (
            <li key={warning} class="quiet">
              {warning}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

/** The records of a file, as many as fit into a request. */
const readFile = async (
  file: File,
  known: readonly string[],
): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const text = (await file.text()).replace(/^\uFEFF/, '');
  const records = /^\s*[[{]/.test(text)
    ? recordsInJson(text)
    : recordsOfTable(
        splitCsv(text).map(({ cells }) => cells),
        known,
      );
  let size = 0;
  return records.slice(0, MOST).filter((record) => {
    size += JSON.stringify(record).length;
    return size < MOST_BYTES;
  });
};

const Sample = ({
  people,
  known,
  isBusy,
  onChange,
}: {
  readonly people: People;
  readonly known: readonly string[];
  readonly isBusy: boolean;
  readonly onChange: (people: People) => void;
}) => {
  const [id, setId] = useState('');
  const [fault, setFault] = useState<string>();
  const choose = (file: File) => {
    setFault(undefined);
    readFile(file, known).then(
      (records) =>
        records.length > 0
          ? onChange({ records, file: file.name })
          : setFault(`${file.name} has no records. Choose a CSV file with a header, or JSON.`),
      (error: unknown) => setFault(`${file.name} cannot be read. ${String(error)}`),
    );
  };
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
      <div class="field-row">
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
              if (file) choose(file);
            }}
          />
        </label>
      </div>
      {fault !== undefined && (
        <Note tone="bad">
          <p>{fault}</p>
        </Note>
      )}
    </Section>
  );
};

/** Previews people with rules: at once when the people change, and while someone types, in pauses. */
const usePreview = (
  path: { readonly slug: string; readonly connector: string },
  people: People,
  map: Readonly<Record<string, unknown>> | undefined,
) => {
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(true);
  const before = useRef<People>();
  const edited = JSON.stringify(map);
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
              ...(map && { map }),
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
  }, [people, edited]);
  return { preview, error, isBusy };
};

const ConnectorMapping = ({ slug, id }: PageProps) => {
  const [people, setPeople] = useState<People>(FIRST);
  const [rules, setRules] = useState<readonly EditedRule[]>();
  const [own, setOwn] = useState<Readonly<Record<string, unknown>>>({});
  const [at, setAt] = useState(0);
  const overrides = rules && overridesOf(rules, own);
  const { preview, error, isBusy } = usePreview({ slug, connector: id }, people, overrides);
  useEffect(() => {
    if (!preview || rules) return;
    setOwn(preview.default_map);
    setRules(
      Object.entries(preview.map).map(([target, rule], key) => ({ key, ...toText(target, rule) })),
    );
  }, [preview]);
  const count = preview?.records.length ?? 0;
  const place = Math.min(at, Math.max(0, count - 1));
  const record = preview?.records[place];
  const known = (rules ?? []).flatMap(({ source }) => fieldsIn(source));
  const others = preview?.problems.filter(({ path }) => !path.startsWith('map.')) ?? [];
  return (
    <Page
      title="Mapping"
      up={{ href: `/t/${slug}/connectors/${encodeURIComponent(id)}`, title: id }}
      lead="See what people of the source become. Nothing is changed here."
    >
      <Sample
        people={people}
        known={known}
        isBusy={isBusy && preview !== undefined}
        onChange={(next) => {
          setAt(0);
          setPeople(next);
        }}
      />
      {error && <ErrorNote error={error} />}
      {!preview && !error && <Skeleton lines={8} />}
      {others.length > 0 && (
        <Note tone="warning">
          {others.map(({ path, message }) => (
            <p key={path}>
              <code>{path}</code> {message}
            </p>
          ))}
        </Note>
      )}
      {preview && rules && (
        <>
          <div class="page-actions" role="group" aria-label="Person">
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
          <div class={isBusy ? 'mapping-columns is-busy' : 'mapping-columns'}>
            <Section title="Source">
              {record ? (
                <SourceFields of={record} />
              ) : (
                <Empty icon="user" title="No records">
                  <p>Read another person, or choose a file.</p>
                </Empty>
              )}
            </Section>
            <Section
              title="Rules"
              lead="Attribute of the user, the field it comes from, and what is done with the value."
            >
              <MappingEditor rules={rules} preview={preview} onChange={setRules} />
            </Section>
            <Section title="User">{record && <ResultingUser slug={slug} of={record} />}</Section>
          </div>
          <Section
            title="Configuration"
            lead={`Rules apply from the configuration file only: put this into connectors.${id} in place of its map, then restart the gateway.`}
          >
            <Code of={mapInYaml(overrides ?? {})} what="the configuration" />
          </Section>
        </>
      )}
    </Page>
  );
};

export default ConnectorMapping;
