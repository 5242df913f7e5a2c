import { useState } from 'preact/hooks';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { localTime, TextField } from './fields.tsx';
import { FormDialog } from './form-dialog.tsx';
import { WindowFields, windowOf } from './validity.tsx';

/** Creates an SMS list, or changes one. */
export const SmsListForm = ({
  slug,
  list,
  onSaved,
  onClose,
}: {
  readonly slug: string;
  /** The list to change. */
  readonly list?: Schema<'SmsList'>;
  readonly onSaved: (list: Schema<'SmsList'>) => void;
  readonly onClose: () => void;
}) => {
  const [name, setName] = useState(list?.name ?? '');
  const [externalId, setExternalId] = useState(list?.external_id ?? '');
  const [validity, setValidity] = useState({
    from: localTime(list?.valid_from ?? null),
    until: localTime(list?.valid_until ?? null),
  });
  return (
    <FormDialog
      title={list ? `Edit ${list.name}` : 'Create SMS list'}
      action={list ? 'Save changes' : 'Create list'}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          name,
          external_id: externalId === '' ? null : externalId,
          ...windowOf(validity),
        };
        onSaved(
          list
            ? await gateway.patch('/admin/v1/tenants/{slug}/sms-lists/{id}', {
                path: { slug, id: list.id },
                body,
              })
            : await gateway.post('/admin/v1/tenants/{slug}/sms-lists', { path: { slug }, body }),
        );
      }}
    >
      <TextField label="Name" required maxLength={256} value={name} onChange={setName} />
      <TextField
        label="External ID"
        hint="Optional. The ID in your roster or address book."
        maxLength={256}
        value={externalId}
        onChange={setExternalId}
      />
      <WindowFields value={validity} onChange={setValidity} />
    </FormDialog>
  );
};
