import { useState } from 'preact/hooks';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { counted } from '../counted.ts';
import { usePolling } from '../use-polling.ts';
import { Button } from './button.tsx';
import { Dialog, FormDialog } from './dialog.tsx';
import { instantOf, localTime, TextField, timeZone } from './fields.tsx';
import { showToast } from './toasts.tsx';

const DAY_MS = 86_400_000;

const deliveries = (count: number): string => counted(count, 'delivery', 'deliveries');

/** Redelivers what failed since a time, and shows how far that is. */
export const RecoverDialog = ({
  path,
  onChanged,
  onClose,
}: {
  /** Of the registration. */
  readonly path: { readonly slug: string; readonly id: string };
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) => {
  const [local, setLocal] = useState(() => localTime(Date.now() - DAY_MS));
  const [recovery, setRecovery] = useState<Schema<'WebhookRecovery'>>();
  const since = instantOf(local);
  const failed = useData(
    '/admin/v1/tenants/{slug}/webhooks/{id}/deliveries',
    since === null ? null : { path, query: { state: 'failed', since, limit: 1 } },
  );
  usePolling(recovery?.state === 'running', async () => {
    if (!recovery) return;
    const next = await gateway.get(
      '/admin/v1/tenants/{slug}/webhooks/{id}/recoveries/{recoveryId}',
      { path: { ...path, recoveryId: recovery.id } },
    );
    setRecovery(next);
    if (next.state !== 'running') onChanged();
  });
  if (recovery)
    return (
      <Dialog title="Redelivering" onClose={onClose}>
        <p role="status">
          {recovery.state === 'running'
            ? `Queued ${deliveries(recovery.recovered)} so far. You can close this dialog; redelivery continues.`
            : recovery.state === 'done'
              ? `Done. Queued ${deliveries(recovery.recovered)}, oldest first.`
              : 'Stopped because the webhook was paused or deleted.'}
        </p>
        <footer>
          <Button label="Close" onClick={onClose} />
        </footer>
      </Dialog>
    );
  const count = failed.data?.total ?? 0;
  const action = `Redeliver ${deliveries(count)}`;
  return (
    <FormDialog
      title="Redeliver failed deliveries"
      action={action}
      isBlocked={since === null || count === 0}
      onClose={onClose}
      onSubmit={async () => {
        if (since === null) return;
        setRecovery(
          await gateway.post('/admin/v1/tenants/{slug}/webhooks/{id}/recover', {
            path,
            body: { since },
          }),
        );
        showToast(`Redelivering ${deliveries(count)}`);
      }}
    >
      <TextField
        label="Failed since"
        type="datetime-local"
        value={local}
        onChange={setLocal}
        hint={`${timeZone()} time. Each delivery keeps its ID and gets a full retry schedule. Events dropped while the webhook was paused are not included.`}
      />
      <p role="status">
        {failed.isLoading ? 'Counting…' : `${deliveries(count)} failed since then.`}
      </p>
    </FormDialog>
  );
};
