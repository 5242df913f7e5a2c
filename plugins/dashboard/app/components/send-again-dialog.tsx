import { useState } from 'preact/hooks';
import { gateway, type Schema, useData, counted, Button } from '../ui.ts';
import { usePolling } from '../use-polling.ts';
import { Dialog, FormDialog } from './dialog.tsx';
import { instantOf, localTime, TextField, timeZone } from './fields.tsx';
import { showToast } from './toasts.tsx';

const DAY_MS = 86_400_000;

const deliveries = (count: number): string => counted(count, 'delivery', 'deliveries');

/** Pending deliveries are sent one by one: more of them keep to their schedule. */
const MAX_PENDING = 50;

const LIST = '/admin/v1/tenants/{slug}/webhooks/{id}/deliveries';

/** Sends what waits for a retry, and what failed since a time, and shows when that is done. */
export const SendAgainDialog = ({
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
  const pending = useData(LIST, { path, query: { state: 'pending', limit: MAX_PENDING } });
  const failed = useData(
    LIST,
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
  const waiting = pending.data?.deliveries ?? [];
  if (recovery) {
    return (
      <Dialog title="Sending again" onClose={onClose}>
        <p role="status">
          {recovery.state === 'running'
            ? 'Queueing the deliveries. You can close this dialog.'
            : recovery.state === 'done'
              ? `Done. Queued ${deliveries(waiting.length + recovery.recovered)}, oldest first.`
              : 'Stopped because the webhook was paused or deleted.'}
        </p>
        <footer>
          <Button label="Close" onClick={onClose} />
        </footer>
      </Dialog>
    );
  }
  const given = failed.data?.total ?? 0;
  const count = waiting.length + given;
  const send = async () => {
    for (const { id } of waiting.toReversed())
      await gateway.post(`${LIST}/{deliveryId}/redeliver`, { path: { ...path, deliveryId: id } });
    if (given > 0 && since !== null)
      setRecovery(
        await gateway.post('/admin/v1/tenants/{slug}/webhooks/{id}/recover', {
          path,
          body: { since },
        }),
      );
    else {
      showToast(`Sending ${deliveries(count)}`);
      onClose();
    }
    onChanged();
  };
  return (
    <FormDialog
      title="Send again now"
      action={`Send ${deliveries(count)}`}
      isBlocked={pending.isLoading || failed.isLoading || count === 0}
      onClose={onClose}
      onSubmit={send}
    >
      <TextField
        label="Failed since"
        type="datetime-local"
        value={local}
        onChange={setLocal}
        hint={`${timeZone()} time. Events that were dropped while the webhook was paused are not included.`}
      />
      <div role="status">
        {pending.isLoading || failed.isLoading ? (
          <p>Counting…</p>
        ) : (
          <ul>
            <li>
              {`${deliveries(waiting.length)} waiting for a retry`}
              {(pending.data?.total ?? 0) > waiting.length &&
                `, the newest of ${pending.data?.total}; the others keep to their schedule`}
            </li>
            <li>{`${deliveries(given)} failed since then`}</li>
          </ul>
        )}
      </div>
      <p class="quiet">Each delivery keeps its ID and gets a full retry schedule.</p>
    </FormDialog>
  );
};
