import { type Schema, Time } from '../ui.ts';
import { Badge } from './badges.tsx';
import { type FieldProps, instantOf, TextField, timeZone } from './fields.tsx';

type Window = Pick<Schema<'SmsMember'>, 'valid_from' | 'valid_until'>;

/** Whether a list or a member counts now, and until when. */
export const Validity = ({
  of: { valid_from: from, valid_until: until },
}: {
  readonly of: Window;
}) => {
  const now = Date.now();
  if (until !== null && Date.parse(until) <= now)
    return (
      <span class="cluster">
        <Badge>Ended</Badge>
        <small>
          <Time at={until} />
        </small>
      </span>
    );
  if (from !== null && Date.parse(from) > now)
    return (
      <span class="cluster">
        <Badge tone="accent">Scheduled</Badge>
        <small>
          from <Time at={from} form="absolute" />
        </small>
      </span>
    );
  return (
    <span class="cluster">
      <Badge tone="good">Valid</Badge>
      <small>
        {until === null ? (
          'no end date'
        ) : (
          <>
            until <Time at={until} form="absolute" />
          </>
        )}
      </small>
    </span>
  );
};

/** A validity window in a form, as texts of its two fields. */
export interface WindowText {
  readonly from: string;
  readonly until: string;
}

export const windowOf = ({ from, until }: WindowText): Window => ({
  valid_from: instantOf(from),
  valid_until: instantOf(until),
});

export const WindowFields = ({ value, onChange }: FieldProps<WindowText>) => (
  <div class="grid">
    <TextField
      label="Valid from"
      name="valid_from"
      hint={`${timeZone()} time. Leave empty to start now.`}
      type="datetime-local"
      value={value.from}
      onChange={(from) => onChange({ ...value, from })}
    />
    <TextField
      label="Valid until"
      name="valid_until"
      hint={`${timeZone()} time. Leave empty for no end.`}
      type="datetime-local"
      value={value.until}
      onChange={(until) => onChange({ ...value, until })}
    />
  </div>
);
