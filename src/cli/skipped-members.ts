import { z } from 'zod';

/** Of a change to a group: who was, or would be, left out. */
export const SkippedMembers = z.object({
  skipped_members: z.array(z.string()).optional(),
  skipped_member_count: z.int().optional(),
});

/** Undefined: none. */
export const skippedMembersIn = ({
  skipped_members: ids = [],
  skipped_member_count: count = 0,
}: z.output<typeof SkippedMembers>): string | undefined => {
  if (count === 0) return undefined;
  const rest = count > ids.length ? ` and ${count - ids.length} more` : '';
  return `unknown members: ${ids.join(', ')}${rest}`;
};
