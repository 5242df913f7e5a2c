import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { gateway, type Schema } from '../ui.ts';
import { type Preset, presetOf, PRESETS, RESOURCES, type Scope } from '../scopes.ts';
import { Copyable } from './copy.tsx';
import { FormDialog } from './dialog.tsx';
import {
  ChoiceCards,
  type FieldProps,
  instantOf,
  TextField,
  timeZone,
  toggled,
} from './fields.tsx';
import { showOnce } from './shown-once.tsx';

const ScopeBox = ({
  scope,
  label,
  value: scopes,
  onChange,
}: FieldProps<readonly Scope[]> & {
  readonly scope: Scope | undefined;
  readonly label: string;
}) =>
  scope === undefined ? (
    <span class="quiet" aria-label="not available">
      –
    </span>
  ) : (
    <input
      type="checkbox"
      aria-label={label}
      checked={scopes.includes(scope)}
      onChange={() => onChange(toggled(scopes, scope))}
    />
  );

const ScopeMatrix = (field: FieldProps<readonly Scope[]>) => (
  <table class="matrix">
    <caption class="visually-hidden">Scopes</caption>
    <thead>
      <tr>
        <th scope="col">Resource</th>
        <th scope="col">Read</th>
        <th scope="col">Write</th>
      </tr>
    </thead>
    <tbody>
      {RESOURCES.map(({ title, about, read, write }) => (
        <tr key={title}>
          <th scope="row">
            {title}
            <small>{about}</small>
          </th>
          <td>
            <ScopeBox scope={read} label={`Read ${title}`} {...field} />
          </td>
          <td>
            <ScopeBox scope={write} label={`Write ${title}`} {...field} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** A form that creates a key. The key is then shown once, with where it goes. */
const KeyForm = ({
  slug,
  body,
  title,
  wide = false,
  createdTitle,
  children,
  onCreated,
  onClose,
}: {
  readonly slug: string;
  readonly body: {
    readonly description: string;
    readonly scopes: readonly Scope[];
    readonly expires_at: string | null;
  };
  readonly title: string;
  readonly wide?: boolean;
  readonly createdTitle: string;
  readonly children: ComponentChildren;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) => {
  const create = async () => {
    const { key } = await gateway.post('/admin/v1/tenants/{slug}/api-keys', {
      path: { slug },
      body,
    });
    const isScim = body.scopes.some((scope) => scope.startsWith('scim:'));
    const address = `${window.location.origin}/v1/${slug}${isScim ? '/scim/v2' : ''}`;
    showOnce({
      title: createdTitle,
      secret: key,
      what: 'the API key',
      about: (
        <p>
          {isScim ? 'SCIM base URL' : 'API base URL'} <Copyable text={address} what="the URL" />
        </p>
      ),
    });
    onCreated();
    onClose();
  };
  return (
    <FormDialog
      wide={wide}
      title={title}
      action={wide ? 'Create key' : 'Create new key'}
      isBlocked={body.scopes.length === 0}
      onClose={onClose}
      onSubmit={create}
    >
      {children}
    </FormDialog>
  );
};

interface KeyDialogProps {
  readonly slug: string;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export const CreateKey = (dialog: KeyDialogProps) => {
  const [description, setDescription] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(PRESETS[0][3]);
  const [preset, setPreset] = useState<Preset>('idp');
  const [expires, setExpires] = useState('');
  return (
    <KeyForm
      {...dialog}
      wide
      title="Create API key"
      createdTitle={`Created key ${description}`}
      body={{ description: description.trim(), scopes, expires_at: instantOf(expires) }}
    >
      <TextField
        label="Name"
        name="description"
        hint="What uses the key, such as Okta. Shown in the provisioning log."
        required
        maxLength={256}
        value={description}
        onChange={setDescription}
      />
      <ChoiceCards
        legend="Preset"
        name="preset"
        value={preset}
        choices={PRESETS.map(([key, title, about]) => [key, title, about] as const)}
        onChange={(next) => {
          setPreset(next);
          const chosen = PRESETS.find(([key]) => key === next)?.[3] ?? [];
          if (chosen.length > 0) setScopes(chosen);
        }}
      />
      <ScopeMatrix
        value={scopes}
        onChange={(next) => {
          setScopes(next);
          setPreset(presetOf(next));
        }}
      />
      <p class="quiet">Write access does not include read access.</p>
      <TextField
        label="Expires"
        name="expires_at"
        hint={`When the key stops working (${timeZone()}). Empty: never. The home page warns 14 days before.`}
        type="datetime-local"
        value={expires}
        onChange={setExpires}
      />
    </KeyForm>
  );
};

/** The new key lives as long as the old one was to. */
const nextExpiry = (created: string, expires: string | null): string | null =>
  expires === null
    ? null
    : new Date(Date.now() + Date.parse(expires) - Date.parse(created)).toISOString();

export const RotateKey = ({
  apiKey: { description, scopes, prefix, created_at: created, expires_at: expires },
  ...dialog
}: KeyDialogProps & { readonly apiKey: Schema<'ApiKey'> }) => (
  <KeyForm
    {...dialog}
    title={`Rotate key ${description}`}
    createdTitle={`New key ${description}`}
    // Older gateways accepted blank names.
    body={{
      description: description.trim() || prefix,
      scopes,
      expires_at: nextExpiry(created, expires),
    }}
  >
    <ol class="how-to">
      <li>
        <strong>Create a new key</strong> with the same name, scopes and time to live. Both keys are
        valid.
      </li>
      <li>
        <strong>Replace the old key</strong> <code>{prefix}…</code> with it wherever it is used.
      </li>
      <li>
        <strong>Wait until the old key is no longer used.</strong> This page shows when each key was
        last used.
      </li>
      <li>
        <strong>Delete the old key.</strong>
      </li>
    </ol>
  </KeyForm>
);
