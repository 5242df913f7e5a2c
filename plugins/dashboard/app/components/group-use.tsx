import type { Schema } from '../api/schema.ts';
import { Badge } from './badge.tsx';

/** What a group of the identity provider does here. */
export const GroupUse = ({
  group: { room_id: roomId, role },
}: {
  readonly group: Pick<Schema<'Group'>, 'room_id' | 'role'>;
}) => {
  if (roomId !== null) return <Badge tone="good">{role === null ? 'Room' : 'Room and role'}</Badge>;
  return role === null ? <Badge>Unused</Badge> : <Badge tone="accent">Role only</Badge>;
};
