import type { Schema } from '../api/schema.ts';
import { Badge } from './badge.tsx';

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
