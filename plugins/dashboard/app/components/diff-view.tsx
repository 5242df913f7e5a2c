import type { Schema } from '../api/schema.ts';

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** With names instead of the ids of these objects. */
const named = (text: string, objects: readonly (Schema<'LoggedObject'> | null)[]): string =>
  text.replaceAll(ID, (id) => objects.find((one) => one?.id === id)?.name ?? id);

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const Value = ({
  kind,
  value,
  objects,
}: {
  readonly kind: 'before' | 'after';
  readonly value: unknown;
  readonly objects: readonly (Schema<'LoggedObject'> | null)[];
}) => (
  <td role="cell" class={`diff-${kind}`} data-label={kind === 'before' ? 'Before' : 'After'}>
    {value === undefined || value === null ? (
      <span class="quiet">{value === undefined ? 'not shown' : 'none'}</span>
    ) : (
      <code>{named(textOf(value), objects)}</code>
    )}
  </td>
);

/** Changed values, before and after. */
export const DiffView = ({
  changes,
  count = changes.length,
  objects = [],
}: {
  readonly changes: readonly Schema<'LoggedChange'>[];
  /** How many there are, if only the first are listed. */
  readonly count?: number;
  /** Those that are named in paths and values by their ids. */
  readonly objects?: readonly (Schema<'LoggedObject'> | null)[];
}) => (
  <div class="table-frame">
    <table role="table" class="table diff">
      <caption class="visually-hidden">Changed values</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">
            Field
          </th>
          <th role="columnheader" scope="col">
            Before
          </th>
          <th role="columnheader" scope="col">
            After
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {changes.map(({ path, before, after }) => (
          <tr role="row" key={path}>
            <td role="cell" data-label="Field">
              <code class="path">{named(path, objects)}</code>
            </td>
            <Value kind="before" value={before} objects={objects} />
            <Value kind="after" value={after} objects={objects} />
          </tr>
        ))}
      </tbody>
    </table>
    {count > changes.length && (
      <p class="table-note">{`The first ${changes.length} of ${count} changed values are kept.`}</p>
    )}
  </div>
);
