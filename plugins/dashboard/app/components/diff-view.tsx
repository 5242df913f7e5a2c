import type { Schema } from '../api/schema.ts';
import { Table } from './table.tsx';

type Objects = readonly (Schema<'LoggedObject'> | null)[];

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** With names instead of the ids of these objects. */
const named = (text: string, objects: Objects): string =>
  text.replaceAll(ID, (id) => objects.find((one) => one?.id === id)?.name ?? id);

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
  readonly objects?: Objects;
}) => {
  const show = (look: string, value: unknown) => {
    if (value === undefined) return <span class="quiet">not shown</span>;
    if (value === null) return <span class="quiet">none</span>;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return <code class={look}>{named(text, objects)}</code>;
  };
  return (
    <>
      <Table
        caption="Changed values"
        by="path"
        rows={changes}
        columns={[
          { title: 'Field', cell: ({ path }) => show('path', path) },
          { title: 'Before', cell: ({ before }) => show('diff-before', before) },
          { title: 'After', cell: ({ after }) => show('diff-after', after) },
        ]}
      />
      {count > changes.length && (
        <p class="table-note">{`The first ${changes.length} of ${count} changed values are kept.`}</p>
      )}
    </>
  );
};
