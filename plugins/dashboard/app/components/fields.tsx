import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useFieldError } from '../form-errors.tsx';
import { Icon, type IconName } from './icon.tsx';

/** What `field('name')` of `useFields` gives a field. */
export interface FieldProps<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** In the API: errors about it are shown at the field. */
  readonly name?: string;
}

/** A text field with its label and, below it, what to know and what is wrong with it. */
export const TextField = ({
  label,
  hint,
  name,
  value,
  onChange,
  ...input
}: FieldProps<string> & {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly type?: 'text' | 'url' | 'email' | 'password' | 'number' | 'datetime-local';
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  /** What it takes; `title` says so in words. */
  readonly pattern?: string | undefined;
  readonly title?: string | undefined;
  readonly placeholder?: string;
  readonly autoComplete?: string;
  /** The id of a `<datalist>`. */
  readonly list?: string;
}) => {
  const field = useRef<HTMLInputElement>(null);
  const problem = useFieldError(name);
  useEffect(() => {
    const isFirst = document.activeElement?.ariaInvalid !== 'true';
    if (problem !== undefined && isFirst) field.current?.focus();
  }, [problem]);
  return (
    <label>
      {label}
      <input
        ref={field}
        type="text"
        autoComplete="off"
        {...input}
        {...(name !== undefined && { name })}
        {...(problem !== undefined && { 'aria-invalid': 'true' })}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {hint !== undefined && <small>{hint}</small>}
      {problem !== undefined && <small class="field-error">{problem}</small>}
    </label>
  );
};

/** A checkbox with its label and, below it, what to know. */
export const CheckField = ({
  label,
  hint,
  name,
  value,
  onChange,
  isSwitch = false,
}: FieldProps<boolean> & {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly isSwitch?: boolean;
}) => (
  <label>
    <input
      type="checkbox"
      {...(isSwitch && { role: 'switch' })}
      {...(name !== undefined && { name })}
      checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    {label}
    {hint !== undefined && <small>{hint}</small>}
  </label>
);

/** A list with or without the item. */
export const toggled = <Item,>(list: readonly Item[], item: Item): readonly Item[] =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item];

/** A choice among a few options, each with a sentence about it. */
export const ChoiceCards = <Value extends string>({
  legend,
  name,
  value,
  choices,
  onChange,
}: FieldProps<Value> & {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly (readonly [value: Value, title: string, about: string])[];
}) => (
  <fieldset class="choices grid">
    <legend>{legend}</legend>
    {choices.map(([key, title, about]) => (
      <label key={key}>
        <input type="radio" name={name} checked={value === key} onChange={() => onChange(key)} />
        <span>
          {title}
          <small>{about}</small>
        </span>
      </label>
    ))}
  </fieldset>
);

/** A choice among two or three views. */
export const Segments = <Value extends string>({
  label,
  value,
  choices,
  onChange,
}: FieldProps<Value> & {
  readonly label: string;
  /** With an icon: shown instead of the title. */
  readonly choices: readonly (readonly [value: Value, title: string, icon?: IconName])[];
}) => {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {choices.map(([key, title, icon]) => (
        <label key={key} title={icon && title}>
          <input
            type="radio"
            class="visually-hidden"
            name={name}
            checked={value === key}
            onChange={() => onChange(key)}
          />
          {icon && <Icon name={icon} />}
          <span class={icon && 'visually-hidden'}>{title}</span>
        </label>
      ))}
    </fieldset>
  );
};

/** The values of a form, and those it began with; `field('name')` connects one with its field. */
export const useFields = <Values extends object>(initial: Values | (() => Values)) => {
  const [values, setValues] = useState(initial);
  const [first] = useState(values);
  const field = <Name extends keyof Values>(name: Name) => ({
    name: String(name),
    value: values[name],
    onChange: (value: Values[Name]) => setValues((before) => ({ ...before, [name]: value })),
  });
  return { values, first, field };
};

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** A time for a `datetime-local` field, in the time zone of the browser. */
export const localTime = (at: string | number | null): string => {
  if (at === null) return '';
  const date = new Date(at);
  const day = [pad(date.getFullYear(), 4), pad(date.getMonth() + 1), pad(date.getDate())].join('-');
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
};

/** The time zone of `datetime-local` fields. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The instant in a `datetime-local` field; null: it is empty. */
export const instantOf = (local: string): string | null =>
  local === '' ? null : new Date(local).toISOString();
