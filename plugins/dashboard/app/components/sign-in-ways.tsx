import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Schema, Button } from '../ui.ts';
import { askForPasskey } from '../passkeys.ts';
import { loadSignInOptions, signInOptions } from '../sign-in.ts';
import { TextField } from './fields.tsx';

type Proof = Schema<'SignIn'>;

/** The ways to sign in, which are read anew when the page opens. */
export const useSignInOptions = () => {
  useEffect(() => {
    const abort = new AbortController();
    void loadSignInOptions(abort.signal).catch(() => undefined);
    return () => abort.abort();
  }, []);
  return signInOptions.value;
};

interface Way {
  readonly isBusy: boolean;
  /** Gets what proves who the person is. */
  readonly onProof: (prove: () => Promise<Proof>) => void;
}

export const PasskeyButton = ({ label, isBusy, onProof }: Way & { readonly label: string }) => (
  <Button
    icon="key"
    label={label}
    class="block"
    isBusy={isBusy}
    onClick={() => onProof(askForPasskey)}
  />
);

/** Children: its errors and buttons. */
export const AdminTokenForm = ({
  hint,
  onProof,
  children,
}: Pick<Way, 'onProof'> & {
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}) => {
  const [token, setToken] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onProof(() => Promise.resolve({ admin_token: token.trim() }));
      }}
    >
      <TextField
        label="Admin token"
        hint={hint}
        type="password"
        required
        value={token}
        onChange={setToken}
      />
      {children}
    </form>
  );
};
