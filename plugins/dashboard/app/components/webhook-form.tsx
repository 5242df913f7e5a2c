import { gateway, type Schema } from '../ui.ts';
import { changesOf, isEmpty } from '../changes.ts';
import type { Subscription } from '../webhook-events.ts';
import { titleOf } from './badges.tsx';
import { FormDialog } from './dialog.tsx';
import { EventPicker } from './event-picker.tsx';
import { TextField, useFields } from './fields.tsx';
import {
  headerChangesOf,
  HeaderFields,
  headersOf,
  IncludeField,
  knownHeaders,
} from './header-fields.tsx';
import { showOnce } from './shown-once.tsx';
import { showToast } from './toasts.tsx';

const WEBHOOKS = '/admin/v1/tenants/{slug}/webhooks';

/** Creates a webhook, whose secret is then shown once; or changes one. */
export const WebhookForm = ({
  slug,
  webhook,
  onSaved,
  onStored,
  onClose,
}: {
  readonly slug: string;
  /** The webhook to change. */
  readonly webhook?: Schema<'Webhook'>;
  readonly onSaved: () => void;
  /** After the secret of a new one was stored. */
  readonly onStored?: (id: string) => void;
  readonly onClose: () => void;
}) => {
  const { values, first, field } = useFields(() => ({
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    events: webhook?.events ?? (['*'] as readonly Subscription[]),
    headers: knownHeaders(webhook?.header_names),
    include: webhook?.include ?? [],
  }));
  const bodyOf = ({ url, description, events, include }: typeof values) => ({
    url,
    description: description.trim() || null,
    events,
    include: [...include],
  });
  const headers = headerChangesOf(values.headers);
  const changes = {
    ...changesOf(bodyOf(first), bodyOf(values)),
    ...(!isEmpty(headers) && { headers }),
  };
  const save = async () => {
    if (webhook) {
      await gateway.patch(`${WEBHOOKS}/{id}`, { path: { slug, id: webhook.id }, body: changes });
      showToast('Saved the webhook');
    } else {
      const { id, secret } = await gateway.post(WEBHOOKS, {
        path: { slug },
        body: { ...bodyOf(values), headers: headersOf(values.headers) },
      });
      showOnce({
        title: 'Signing secret',
        secret,
        what: 'the signing secret',
        about: <p>The receiver verifies deliveries with this secret. Next, send a test event.</p>,
        onStored: () => onStored?.(id),
      });
    }
    onSaved();
    onClose();
  };
  return (
    <FormDialog
      wide
      title={webhook ? `Edit ${titleOf(webhook)}` : 'Add webhook'}
      action={webhook ? 'Save changes' : 'Add webhook'}
      isBlocked={values.events.length === 0 || (webhook !== undefined && isEmpty(changes))}
      onClose={onClose}
      onSubmit={save}
    >
      <TextField
        label="Endpoint URL"
        hint={
          webhook
            ? 'Pending deliveries are sent to the new URL too. The query string is masked here and kept unless you change the URL.'
            : 'Must be HTTPS and publicly reachable, unless the configuration allows otherwise.'
        }
        type="url"
        required
        maxLength={2_048}
        placeholder="https://hooks.example.com/rollgate"
        {...field('url')}
      />
      <TextField
        label="Name"
        {...(!webhook && { hint: 'Optional. Shown in this list.' })}
        maxLength={256}
        {...field('description')}
      />
      <EventPicker {...field('events')} />
      <IncludeField {...field('include')} />
      <HeaderFields {...field('headers')} />
      {webhook?.header_names !== undefined && (
        <p class="quiet">
          If the URL changes to another host, re-enter or remove each header value.
        </p>
      )}
    </FormDialog>
  );
};
