import { FieldError } from '../form-errors.tsx';
import { Button } from './button.tsx';
import { CheckField, type FieldProps } from './fields.tsx';

/** A header that deliveries carry. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
  /** Set earlier: its value is not shown, and stays if the field is empty. */
  readonly isKnown: boolean;
  readonly isRemoved: boolean;
}

export const knownHeaders = (names: readonly string[] = []): readonly HeaderRow[] =>
  names.map((name) => ({ name, value: '', isKnown: true, isRemoved: false }));

/** The headers that have a value. */
export const headersOf = (rows: readonly HeaderRow[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    rows.flatMap(({ name, value }) => (name === '' || value === '' ? [] : [[name, value]])),
  );

/** What a change says about headers; null removes one. */
export const headerChangesOf = (
  rows: readonly HeaderRow[],
): Readonly<Record<string, string | null>> => ({
  ...headersOf(rows.filter(({ isRemoved }) => !isRemoved)),
  ...Object.fromEntries(rows.flatMap(({ name, isRemoved }) => (isRemoved ? [[name, null]] : []))),
});

const MOST = 10;

/** Headers for a proxy or API gateway in front of the receiver. */
export const HeaderFields = ({ name, value: rows, onChange }: FieldProps<readonly HeaderRow[]>) => {
  const set = (at: number, changes: Partial<HeaderRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...changes } : row)));
  return (
    <fieldset>
      <legend>Additional headers</legend>
      <FieldError name={name} />
      {rows.map(({ name, value, isKnown, isRemoved }, at) => (
        <div key={at} class="header-row">
          <input
            aria-label={`Name of header ${at + 1}`}
            placeholder="X-Api-Key"
            required
            disabled={isKnown}
            value={name}
            onInput={(event) => set(at, { name: event.currentTarget.value })}
          />
          <input
            aria-label={`Value of header ${at + 1}`}
            placeholder={isRemoved ? 'will be removed' : isKnown ? 'unchanged' : 'Value'}
            autoComplete="off"
            required={!isKnown}
            disabled={isRemoved}
            value={value}
            onInput={(event) => set(at, { value: event.currentTarget.value })}
          />
          <Button
            icon={isRemoved ? 'refresh' : 'close'}
            class="icon-button"
            aria-label={isRemoved ? `Keep header ${name}` : `Remove header ${name || at + 1}`}
            onClick={() =>
              isKnown
                ? set(at, { isRemoved: !isRemoved, value: '' })
                : onChange(rows.filter((_, index) => index !== at))
            }
          />
        </div>
      ))}
      {rows.length < MOST && (
        <Button
          icon="plus"
          label="Add header"
          class="secondary small"
          onClick={() =>
            onChange([...rows, { name: '', value: '', isKnown: false, isRemoved: false }])
          }
        />
      )}
    </fieldset>
  );
};

/** What deliveries contain beyond the usual data. */
export const IncludeField = ({ value, onChange }: FieldProps<readonly 'user.custom'[]>) => (
  <CheckField
    label="Include the tenant’s own attributes of users"
    value={value.includes('user.custom')}
    onChange={(isIncluded) => onChange(isIncluded ? ['user.custom'] : [])}
  />
);
