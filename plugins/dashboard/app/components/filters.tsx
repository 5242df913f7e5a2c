import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** The row above a list. */
export const Filters = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="filters">{children}</div>
);

const TYPING_MS = 250;

/** A search field; the search begins when the typing pauses. */
export const SearchFilter = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const later = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next.trim()), TYPING_MS);
  };
  return (
    <label class="search-filter">
      <span class="visually-hidden">{label}</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder={label}
        value={text}
        onInput={(event) => later(event.currentTarget.value)}
      />
    </label>
  );
};

/** A choice among a few values; the empty one is "all". */
export const ChoiceFilter = ({
  label,
  all,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly choices: readonly (string | readonly [value: string, title: string])[];
  readonly onChange: (value: string) => void;
}) => (
  <label class={value === '' ? 'choice-filter' : 'choice-filter is-set'}>
    <span class="visually-hidden">{label}</span>
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{all}</option>
      {choices.map((choice) => {
        const [key, title] = typeof choice === 'string' ? [choice, choice] : choice;
        return (
          <option key={key} value={key}>
            {title}
          </option>
        );
      })}
    </select>
  </label>
);
