import { counted, Note } from '../ui.ts';

/** The unknown members that a change to a group left out, or would leave out. */
export const SkippedMembers = ({
  of: { skipped_members: ids, skipped_member_count: count },
  title = 'Left out',
}: {
  readonly of: {
    readonly skipped_members?: readonly string[];
    readonly skipped_member_count?: number;
  };
  readonly title?: string;
}) =>
  ids === undefined || count === undefined ? null : (
    <Note tone="warning" title={`${title} ${counted(count, 'unknown member')}`}>
      <p>
        No user has these ids: {ids.join(', ')}
        {count > ids.length && ` and ${count - ids.length} more`}
      </p>
    </Note>
  );
