import type { Schema } from '../api/schema.ts';

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const Value = ({ kind, value }: { readonly kind: 'before' | 'after'; readonly value: unknown }) => (
  <td role="cell" class={`diff-${kind}`} data-label={kind === 'before' ? 'Before' : 'After'}>
    {value === undefined || value === null ? (
      <span class="quiet">{value === undefined ? 'not shown' : 'none'}</span>
    ) : (
      <code>{textOf(value)}</code>
    )}
  </td>
);

/** Changed values, before and after. */
export const DiffView = ({
  changes,
  count = changes.length,
}: {
  readonly changes: readonly Schema<'LoggedChange'>[];
  /** How many there are, if only the first are listed. */
  readonly count?: number;
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
              <code class="path">{path}</code>
            </td>
            <Value kind="before" value={before} />
            <Value kind="after" value={after} />
          </tr>
        ))}
      </tbody>
    </table>
    {count > changes.length && (
      <p class="table-note">{`The first ${changes.length} of ${count} changed values are kept.`}</p>
    )}
  </div>
);
