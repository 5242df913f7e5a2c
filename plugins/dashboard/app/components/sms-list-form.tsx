import { gateway, type Schema } from '../ui.ts';
import { changesOf, isEmpty } from '../changes.ts';
import { FormDialog } from './dialog.tsx';
import { localTime, TextField, useFields } from './fields.tsx';
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
  const { values, first, field } = useFields(() => ({
    name: list?.name ?? '',
    externalId: list?.external_id ?? '',
    validity: {
      from: localTime(list?.valid_from ?? null),
      until: localTime(list?.valid_until ?? null),
    },
  }));
  const bodyOf = ({ name, externalId, validity }: typeof values) => ({
    name,
    external_id: externalId.trim() || null,
    ...windowOf(validity),
  });
  const changes = changesOf(bodyOf(first), bodyOf(values));
  return (
    <FormDialog
      title={list ? `Edit ${list.name}` : 'Create SMS list'}
      action={list ? 'Save changes' : 'Create list'}
      isBlocked={list !== undefined && isEmpty(changes)}
      onClose={onClose}
      onSubmit={async () =>
        onSaved(
          list
            ? await gateway.patch('/admin/v1/tenants/{slug}/sms-lists/{id}', {
                path: { slug, id: list.id },
                body: changes,
              })
            : await gateway.post('/admin/v1/tenants/{slug}/sms-lists', {
                path: { slug },
                body: { ...bodyOf(values), name: values.name.trim() },
              }),
        )
      }
    >
      <TextField label="Name" required maxLength={256} {...field('name')} />
      <TextField
        label="External ID"
        hint="Optional. The ID in your roster or address book."
        maxLength={256}
        {...field('externalId')}
        name="external_id"
      />
      <WindowFields {...field('validity')} />
    </FormDialog>
  );
};
