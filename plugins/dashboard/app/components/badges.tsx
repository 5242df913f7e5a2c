import type { ComponentChildren } from 'preact';
import type { Schema } from '../api/schema.ts';

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';

/** A state in a word or two. */
export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) => <span class={`badge badge-${tone}`}>{children}</span>;

/** The tone and the title of a state. */
export type StateWords = readonly [tone: Tone, title: string];

export const StateBadge = ({ of: [tone, title] }: { readonly of: StateWords }) => (
  <Badge tone={tone}>{title}</Badge>
);

/** Whether a user can sign in. */
export const ActiveBadge = ({ active }: { readonly active: boolean }) => (
  <StateBadge of={active ? ['good', 'Active'] : ['neutral', 'Deactivated']} />
);

/** An HTTP status. */
export const StatusBadge = ({ status }: { readonly status: number }) => (
  <Badge tone={status < 400 ? 'good' : status < 500 ? 'warning' : 'bad'}>{status}</Badge>
);

/** What a group of the identity provider does here. */
export const GroupUse = ({
  group: { room_id: roomId, role },
}: {
  readonly group: Pick<Schema<'Group'>, 'room_id' | 'role'>;
}) => {
  if (roomId !== null) return <Badge tone="good">{role === null ? 'Room' : 'Room and role'}</Badge>;
  return role === null ? <Badge>Unused</Badge> : <Badge tone="accent">Role only</Badge>;
};

/** Which group of the identity provider fills the room. */
export const MappingState = ({ room }: { readonly room: Schema<'Room'> }) =>
  room.group_id === null && room.display_name === null ? (
    <Badge>Not mapped</Badge>
  ) : (
    <span class="mapping row">
      <StateBadge
        of={room.group_id === null ? ['warning', 'Waiting for group'] : ['good', 'Mapped']}
      />
      <span class="quiet">{room.display_name}</span>
    </span>
  );

/** Whether it gets events, and how the last delivery ended. */
export const WebhookState = ({ webhook }: { readonly webhook: Schema<'Webhook'> }) => {
  if (webhook.status === 'disabled')
    return (
      <Badge tone="warning">
        {webhook.disabled_reason === undefined ? 'Paused' : 'Disabled automatically'}
      </Badge>
    );
  if (webhook.last_trigger_status === 'failed') return <Badge tone="bad">Failing</Badge>;
  return webhook.last_trigger_status === null ? (
    <Badge>No deliveries yet</Badge>
  ) : (
    <Badge tone="good">Delivering</Badge>
  );
};

export const titleOf = ({ description, url }: Schema<'Webhook'>): string =>
  description ?? url.replace(/^https?:\/\//, '');
