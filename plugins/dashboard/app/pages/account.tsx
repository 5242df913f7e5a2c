import { useState } from 'preact/hooks';
import { gateway, type Schema, useData, Button, Empty, Note, Time, session } from '../ui.ts';
import { ConfirmButton, FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Async, Facts, Page, Section } from '../components/page.tsx';
import { showToast } from '../components/toasts.tsx';
import { addPasskey, canUsePasskeys, passkeyHost } from '../passkeys.ts';

const WAYS = {
  link: 'a link',
  oidc: 'your identity provider',
  passkey: 'a passkey',
  'admin-token': 'the admin token',
  setup: 'a setup link',
} as const;

/** A name to begin with: Chrome on Windows. */
const deviceName = (): string => {
  const agent = navigator.userAgent;
  const found = (names: readonly string[]) => names.find((name) => agent.includes(name));
  return found(['iPhone', 'iPad', 'Android', 'Windows', 'Mac', 'Linux']) ?? 'This device';
};

const AddPasskey = ({
  onDone,
  onClose,
}: {
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [name, setName] = useState(deviceName);
  return (
    <FormDialog
      title="Create a passkey"
      action="Create passkey"
      onClose={onClose}
      onSubmit={async () => {
        await addPasskey(name.trim());
        showToast('Created passkey');
        onDone();
        onClose();
      }}
    >
      <p>
        Your device or password manager keeps it, and asks for your fingerprint, face or PIN. The
        gateway stores a public key only.
      </p>
      <TextField
        label="Name"
        hint="By which you recognise it."
        required
        maxLength={64}
        value={name}
        onChange={setName}
      />
    </FormDialog>
  );
};

/** On an address, browsers have no passkeys: the same gateway has a name. */
const OtherHost = ({ host }: { readonly host: string | null }) => (
  <Note tone="warning">
    <p>
      {host === null ? (
        <>
          Passkeys need a gateway with a host name and HTTPS. Ask an owner to set{' '}
          <code>publicUrl</code>.
        </>
      ) : (
        <>
          Passkeys of this gateway work at the host <code>{host}</code>. Sign in there, in a browser
          that supports passkeys.
        </>
      )}
    </p>
  </Note>
);

/** The passkeys of an operator. */
export const Passkeys = ({
  operator: { id },
  canAdd = false,
}: {
  readonly operator: Pick<Schema<'Operator'>, 'id'>;
  readonly canAdd?: boolean;
}) => {
  const [isAdding, setAdding] = useState(false);
  const read = useData('/admin/v1/operators/{id}/passkeys', { path: { id } });
  return (
    <>
      <Async of={read} lines={2}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <Empty icon="key" title="No passkeys" />
          ) : (
            <ul class="rows">
              {passkeys.map((passkey) => (
                <li key={passkey.id}>
                  <span>
                    {passkey.name}{' '}
                    <small>
                      created <Time at={passkey.created_at} />,{' '}
                      {passkey.last_used_at === null ? (
                        'never used'
                      ) : (
                        <>
                          last used <Time at={passkey.last_used_at} />
                        </>
                      )}
                    </small>
                  </span>
                  <ConfirmButton
                    label="Remove"
                    about={`Remove ${passkey.name}`}
                    look="secondary small"
                    title={`Remove the passkey ${passkey.name}?`}
                    action="Remove 1 passkey"
                    onConfirm={async () => {
                      await gateway.delete('/admin/v1/operators/{id}/passkeys/{passkeyId}', {
                        path: { id, passkeyId: passkey.id },
                      });
                      showToast(`Removed ${passkey.name}`);
                      read.reload();
                    }}
                  >
                    <p>It no longer signs in, and the sessions that it began end now.</p>
                  </ConfirmButton>
                </li>
              ))}
            </ul>
          )
        }
      </Async>
      {canAdd && <Button icon="plus" label="Create a passkey" onClick={() => setAdding(true)} />}
      {isAdding && (
        <AddPasskey
          onClose={() => setAdding(false)}
          onDone={() => {
            if (session.value) session.value = { ...session.value, has_passkey: true };
            read.reload();
          }}
        />
      )}
    </>
  );
};

const Account = () => {
  const own = session.value;
  if (!own) return null;
  const { id, name, email, role, tenants } = own.operator;
  return (
    <Page title="Your account" lead="Who you are here, and how you sign in.">
      <Section title="You">
        <Facts
          of={[
            ['Name', name],
            ['Email', email ?? '–'],
            ['Role', role],
            ['Tenants', tenants?.join(', ') ?? 'All'],
            ['Signed in with', own.by === null ? '–' : WAYS[own.by]],
          ]}
        />
      </Section>
      <Section
        title="Passkeys"
        lead="Sign in without a link or password, and confirm who you are for sensitive changes."
      >
        {id === null ? (
          <p>
            The admin token has no passkeys. Create an operator for yourself, and sign in as them.
          </p>
        ) : own.by === 'oidc' ? (
          <p>You sign in with your identity provider. Add passkeys there.</p>
        ) : (
          <>
            {!canUsePasskeys() && <OtherHost host={passkeyHost()} />}
            <Passkeys operator={{ id }} canAdd={canUsePasskeys()} />
          </>
        )}
      </Section>
    </Page>
  );
};

export default Account;
