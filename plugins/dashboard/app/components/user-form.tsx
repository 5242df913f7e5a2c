import { useState } from 'preact/hooks';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { changesOf, isEmpty } from '../changes.ts';
import { patternOf, textOf, valueOf } from '../custom-values.ts';
import { USER_TEXTS } from '../user-texts.ts';
import { FormDialog } from './dialog.tsx';
import { TextField, useFields } from './fields.tsx';
import { showToast } from './toasts.tsx';
import { WorkButton } from './work-button.tsx';

type Attribute = Schema<'CustomAttribute'>;
type User = Schema<'User'>;

interface FormProps {
  readonly slug: string;
  /** Absent: the form creates a user. */
  readonly user?: User;
  readonly onSaved: (user: User) => void;
}

const USERS = '/admin/v1/tenants/{slug}/users';

const EMAIL = {
  name: 'email',
  label: 'Email',
  hint: 'Also the user name. Unique in the tenant.',
  type: 'email',
  required: true,
  maxLength: 254,
} as const;

const hintOf = (attribute: Attribute): string => {
  const { type, multi_valued: isList, canonical_values: allowed, description } = attribute;
  return [
    description,
    allowed ? `One of ${allowed.join(', ')}.` : type === 'boolean' ? 'true or false.' : `${type}.`,
    isList ? 'Separated by commas.' : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
};

/** Those that the API takes in a change, or for a new user. */
const fieldsOf = (user: User | undefined) => [
  ...(user ? [] : [EMAIL]),
  { name: 'display_name' as const, label: 'Display name', required: user !== undefined },
  ...USER_TEXTS.filter(([, , isChangeable]) => !user || isChangeable).map(([name, label]) => ({
    name,
    label,
  })),
];

const UserForm = ({
  slug,
  user,
  attributes,
  onSaved,
  onClose,
}: FormProps & { readonly attributes: readonly Attribute[]; readonly onClose: () => void }) => {
  const fields = fieldsOf(user);
  const { values, first, field } = useFields<Record<string, string>>(() =>
    Object.fromEntries(fields.map(({ name }) => [name, user?.[name] ?? ''])),
  );
  // Apart: an attribute may have the name of another field.
  const own = useFields<Record<string, string>>(() =>
    Object.fromEntries(attributes.map(({ name }) => [name, textOf(user?.custom?.[name])])),
  );
  const bodyOf = (fields: typeof values, custom: typeof values) => ({
    ...Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, text || null])),
    custom: Object.fromEntries(
      attributes.map((each) => [each.name, valueOf(each, custom[each.name] ?? '')]),
    ),
  });
  const save = async () => {
    const body: object = changesOf(bodyOf(first, own.first), bodyOf(values, own.values));
    if (!user) return gateway.post(USERS, { path: { slug }, body: body as Schema<'UserInput'> });
    if (isEmpty(body)) return user;
    return gateway.patch(`${USERS}/{id}`, { path: { slug, id: user.id }, body });
  };
  return (
    <FormDialog
      title={user ? `Edit ${user.display_name}` : 'Create user'}
      action={user ? 'Save changes' : 'Create user'}
      onClose={onClose}
      onSubmit={async () => {
        const saved = await save();
        showToast(`${user ? 'Saved' : 'Created'} ${saved.display_name}`);
        onSaved(saved);
        onClose();
      }}
    >
      {fields.map(({ name, ...shown }) => (
        <TextField
          key={name}
          maxLength={256}
          {...shown}
          {...field(name)}
          value={values[name] ?? ''}
        />
      ))}
      {attributes.map((attribute) => (
        <TextField
          key={attribute.name}
          label={attribute.name}
          hint={hintOf(attribute)}
          pattern={patternOf(attribute)}
          title={patternOf(attribute) && hintOf(attribute)}
          {...own.field(attribute.name)}
          value={own.values[attribute.name] ?? ''}
        />
      ))}
      <p class="quiet">
        {user
          ? 'Your identity provider may revert this at its next synchronisation.'
          : 'Your identity provider does not know this user until it pushes the same user name.'}
      </p>
    </FormDialog>
  );
};

const CREATE = { icon: 'plus', label: 'Create user' } as const;

/** Opens the form that creates or edits a user, with the tenant's own attributes. */
export const UserFormButton = (form: FormProps) => {
  const [attributes, setAttributes] = useState<readonly Attribute[]>();
  const open = async () => {
    const path = { slug: form.slug };
    const read = await gateway.get('/admin/v1/tenants/{slug}/schema-extension', { path });
    setAttributes(read.attributes);
  };
  return (
    <>
      <WorkButton {...(form.user ? { label: 'Edit', class: 'secondary' } : CREATE)} work={open} />
      {attributes && (
        <UserForm {...form} attributes={attributes} onClose={() => setAttributes(undefined)} />
      )}
    </>
  );
};
