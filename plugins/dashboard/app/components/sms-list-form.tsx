import { useState } from 'preact/hooks';
import { request } from '../api/request.ts';
import type { SmsList } from '../api/sms-list-views.ts';
import { localTime, TextField } from './fields.tsx';
import { FormDialog } from './form-dialog.tsx';
import { WindowFields, windowOf } from './validity.tsx';

/** Creates an SMS list, or changes one. */
export const SmsListForm = ({
  path,
  list,
  onSaved,
  onClose,
}: {
  /** Of the tenant's lists, or of the list to change. */
  readonly path: string;
  readonly list?: SmsList;
  readonly onSaved: (list: SmsList) => void;
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
      title={list ? `Change ${list.name}` : 'Create an SMS list'}
      action={list ? 'Save changes' : 'Create list'}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          name,
          external_id: externalId === '' ? null : externalId,
          ...windowOf(validity),
        };
        onSaved(await request<SmsList>(list ? 'PATCH' : 'POST', path, { body }));
      }}
    >
      <TextField label="Name" required maxLength={256} value={name} onChange={setName} />
      <TextField
        label="External id"
        hint="Optional: the id in your roster or address book."
        maxLength={256}
        value={externalId}
        onChange={setExternalId}
      />
      <WindowFields value={validity} onChange={setValidity} />
    </FormDialog>
  );
};
