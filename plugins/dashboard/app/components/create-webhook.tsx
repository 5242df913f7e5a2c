import { gateway } from '../api/gateway.ts';
import type { Subscription } from '../webhook-events.ts';
import { FormDialog } from './dialog.tsx';
import { EventPicker } from './event-picker.tsx';
import { TextField, useFields } from './fields.tsx';
import { HeaderFields, type HeaderRow, headersOf, IncludeField } from './header-fields.tsx';
import { showOnce } from './shown-once.tsx';

/** A new webhook, whose secret is shown once. */
export const CreateWebhook = ({
  slug,
  onCreated,
  onStored,
  onClose,
}: {
  readonly slug: string;
  readonly onCreated: () => void;
  /** After its secret was stored. */
  readonly onStored: (id: string) => void;
  readonly onClose: () => void;
}) => {
  const { values, field } = useFields({
    url: '',
    description: '',
    events: ['*'] as readonly Subscription[],
    headers: [] as readonly HeaderRow[],
    include: [] as readonly 'user.custom'[],
  });
  const { url, description, events, headers, include } = values;
  return (
    <FormDialog
      wide
      title="Add webhook"
      action="Add webhook"
      isBlocked={events.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          url,
          events,
          headers: headersOf(headers),
          include: [...include],
          ...(description.trim() !== '' && { description: description.trim() }),
        };
        const { id, secret } = await gateway.post('/admin/v1/tenants/{slug}/webhooks', {
          path: { slug },
          body,
        });
        showOnce({
          title: 'Signing secret',
          secret,
          what: 'the signing secret',
          about: <p>The receiver verifies deliveries with this secret. Next, send a test event.</p>,
          onStored: () => onStored(id),
        });
        onCreated();
        onClose();
      }}
    >
      <TextField
        label="Endpoint URL"
        hint="Must be HTTPS and publicly reachable, unless the configuration allows otherwise."
        type="url"
        required
        maxLength={2_048}
        placeholder="https://hooks.example.com/rollgate"
        {...field('url')}
      />
      <TextField
        label="Name"
        hint="Optional. Shown in this list."
        maxLength={256}
        {...field('description')}
      />
      <EventPicker {...field('events')} />
      <IncludeField {...field('include')} />
      <HeaderFields {...field('headers')} />
    </FormDialog>
  );
};
