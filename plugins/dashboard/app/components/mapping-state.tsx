import type { Schema } from '../api/schema.ts';
import { Badge } from './badge.tsx';

/** Which group of the identity provider fills the room. */
export const MappingState = ({ room }: { readonly room: Schema<'Room'> }) => {
  if (room.group_id !== null)
    return (
      <span class="mapping">
        <Badge tone="good">Mapped</Badge>
        <span class="quiet">{room.display_name}</span>
      </span>
    );
  if (room.display_name !== null)
    return (
      <span class="mapping">
        <Badge tone="warning">Waiting for group</Badge>
        <span class="quiet">{room.display_name}</span>
      </span>
    );
  return <Badge>Not mapped</Badge>;
};
