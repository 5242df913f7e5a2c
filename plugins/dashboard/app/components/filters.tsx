import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const TYPING_MS = 250;

/** A search field; the search begins when the typing pauses. */
const SearchFilter = ({
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
const ChoiceFilter = ({
  label,
  all,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly choices: Choices;
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

type Choices = readonly (string | readonly [value: string, title: string])[];

/** A filter and its parameter in the address: a search field, or a choice. */
export interface Filter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  /** The first line of a choice, for no value. */
  readonly all?: string;
  readonly choices?: Choices;
}

/** The row above a list. */
export const Filters = <Name extends string>({
  of,
  values,
  onChange,
  children,
}: {
  readonly of: readonly Filter<Name>[];
  readonly values: Readonly<Record<NoInfer<Name>, string>>;
  readonly onChange: (changes: Readonly<Partial<Record<NoInfer<Name>, string>>>) => void;
  readonly children?: ComponentChildren;
}) => (
  <div class="filters cluster">
    {of.map(({ name, all = '', choices, ...field }) => {
      if (choices?.length === 0) return null;
      const value = values[name];
      const change = (next: string) => {
        // TypeScript does not see that the computed name is a `Name`.
        const changes: Partial<Record<Name, string>> = {};
        changes[name] = next;
        onChange(changes);
      };
      return choices ? (
        <ChoiceFilter
          key={name}
          {...field}
          all={all}
          choices={choices}
          value={value}
          onChange={change}
        />
      ) : (
        <SearchFilter key={name} {...field} value={value} onChange={change} />
      );
    })}
    {children}
  </div>
);
