import type { Schema } from '../api/schema.ts';
import { Badge } from './badge.tsx';

/** Which group of the identity provider fills the room. */
export const MappingState = ({ room }: { readonly room: Schema<'Room'> }) => {
  if (room.group_id !== null)
    return (
      <>
        <Badge tone="good">Filled by a group</Badge> <span class="quiet">{room.display_name}</span>
      </>
    );
  if (room.display_name !== null)
    return (
      <>
        <Badge tone="warning">Waits for its group</Badge>{' '}
        <span class="quiet">{room.display_name}</span>
      </>
    );
  return <Badge>Not mapped</Badge>;
};
