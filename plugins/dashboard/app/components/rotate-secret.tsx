import { useState } from 'preact/hooks';
import { gateway } from '../api/gateway.ts';
import { FormDialog } from './dialog.tsx';
import { ChoiceCards, TextField } from './fields.tsx';
import { showOnce } from './shown-once.tsx';

type Way = 'prepare' | 'both' | 'leaked';

const WAYS: readonly (readonly [value: Way, title: string, about: string])[] = [
  [
    'prepare',
    'Prepare, then switch',
    'For receivers that accept one secret at a time. The old secret signs until the overlap ends.',
  ],
  [
    'both',
    'Switch now',
    'For receivers that accept both secrets. Deliveries carry a signature of each.',
  ],
  ['leaked', 'The old secret leaked', 'Only the new secret signs, starting now.'],
];

const STEPS: Readonly<Record<Way, readonly string[]>> = {
  prepare: [
    'Now: X-Service-Signature is still signed with the old secret. X-Service-Signature-Next has the signature of the new secret, so that the receiver can test it.',
    'During the overlap: configure the new secret at the receiver.',
    'After the overlap: X-Service-Signature is signed with the new secret. The old secret is no longer used.',
  ],
  both: [
    'Now: X-Service-Signature is signed with the new secret. X-Service-Signature-Previous has the signature of the old secret.',
    'During the overlap: configure the new secret at the receiver.',
    'After the overlap: the old secret is no longer used.',
  ],
  leaked: [
    'Now: deliveries are signed with the new secret only. The receiver rejects them until you configure the new secret there; rejected deliveries are retried.',
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
  const steps = (
    <ol class="how-to">
      {STEPS[way].map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
  return (
    <FormDialog
      wide
      title={`Rotate the signing secret of ${name}`}
      action="Create new secret"
      onClose={onClose}
      onSubmit={async () => {
        const rotated = await gateway.post('/admin/v1/tenants/{slug}/webhooks/{id}/rotate-secret', {
          path,
          body: {
            overlap_hours: way === 'leaked' ? 0 : Number(hours),
            switch: way === 'prepare' ? 'after_overlap' : 'now',
          },
        });
        showOnce({
          title: 'New signing secret',
          secret: rotated.secret,
          what: 'the new signing secret',
          about: steps,
        });
        onClose();
      }}
    >
      <ChoiceCards legend="Method" name="way" value={way} choices={WAYS} onChange={setWay} />
      {way !== 'leaked' && (
        <TextField
          label="Overlap in hours"
          name="overlap_hours"
          hint="How long both secrets are used, from 1 to 168 hours."
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
