import { useId } from 'preact/hooks';

/** A choice among two or three views. */
export const Segments = <Value extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, title: string])[];
  readonly onChange: (value: Value) => void;
}) => {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {choices.map(([key, title]) => (
        <label key={key}>
          <input
            type="radio"
            class="visually-hidden"
            name={name}
            checked={value === key}
            onChange={() => onChange(key)}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
};
