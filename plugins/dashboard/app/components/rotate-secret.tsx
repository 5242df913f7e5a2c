import { useState } from 'preact/hooks';
import { gateway } from '../api/gateway.ts';
import { CopyOnce } from './copy-once.tsx';
import { Dialog } from './dialog.tsx';
import { ChoiceCards, TextField } from './fields.tsx';
import { FormDialog } from './form-dialog.tsx';

type Way = 'prepare' | 'both' | 'leaked';

const WAYS: readonly (readonly [value: Way, title: string, about: string])[] = [
  [
    'prepare',
    'Prepare, then switch',
    'For receivers that know one secret at a time. The old one signs until the end of the overlap.',
  ],
  [
    'both',
    'Switch now',
    'For receivers that accept both. The new one signs, the old one beside it.',
  ],
  ['leaked', 'The old secret leaked', 'Only the new one signs, at once.'],
];

const STEPS: Readonly<Record<Way, readonly string[]>> = {
  prepare: [
    'Now: X-Service-Signature stays signed by the old secret. The signature of the new one is in X-Service-Signature-Next, so that the receiver can check it first.',
    'During the overlap: enter the new secret at the receiver.',
    'After the overlap: the new secret signs X-Service-Signature, and the old one nothing.',
  ],
  both: [
    'Now: the new secret signs X-Service-Signature. The signature of the old one is in X-Service-Signature-Previous.',
    'During the overlap: enter the new secret at the receiver.',
    'After the overlap: the old secret signs nothing.',
  ],
  leaked: [
    'Now: only the new secret signs. The receiver refuses deliveries until you enter it there; they are retried.',
  ],
};

/** Replaces the signing secret of a webhook. */
export const RotateSecret = ({
  path,
  name,
  onClose,
}: {
  readonly path: { readonly slug: string; readonly id: string };
  readonly name: string;
  readonly onClose: () => void;
}) => {
  const [way, setWay] = useState<Way>('prepare');
  const [hours, setHours] = useState('24');
  const [secret, setSecret] = useState<string>();
  const steps = (
    <ol class="how-to">
      {STEPS[way].map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
  if (secret !== undefined)
    return (
      <Dialog mustAnswer title="The new signing secret" onClose={onClose}>
        {steps}
        <CopyOnce secret={secret} what="the new signing secret" onDone={onClose} />
      </Dialog>
    );
  return (
    <FormDialog
      wide
      title={`Rotate the secret of ${name}`}
      action="Make a new secret"
      onClose={onClose}
      onSubmit={async () => {
        const rotated = await gateway.post('/admin/v1/tenants/{slug}/webhooks/{id}/rotate-secret', {
          path,
          body: {
            overlap_hours: way === 'leaked' ? 0 : Number(hours),
            switch: way === 'prepare' ? 'after_overlap' : 'now',
          },
        });
        setSecret(rotated.secret);
      }}
    >
      <ChoiceCards legend="How" name="way" value={way} choices={WAYS} onChange={setWay} />
      {way !== 'leaked' && (
        <TextField
          label="Overlap in hours"
          hint="How long both secrets sign: 1 to 168 hours."
          type="number"
          min={1}
          max={168}
          required
          value={hours}
          onChange={setHours}
        />
      )}
      {steps}
    </FormDialog>
  );
};
