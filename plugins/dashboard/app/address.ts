import { useCallback } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';

/** The value if it is one of these: an address that someone shared may contain any text. */
export const oneOf = <Value extends string>(
  values: readonly Value[],
  text: string,
): Value | undefined => values.find((value) => value === text);

type Query = Readonly<Record<string, unknown>>;

/** What is left of a query without its empty values. */
export const withoutEmpty = (query: Query): Query =>
  Object.fromEntries(
    Object.entries(query).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );

/** An address with its parameters; empty ones are left out. */
export const withQuery = (path: string, query: Query = {}): string => {
  const text = new URLSearchParams(
    Object.entries(withoutEmpty(query)).map(([name, value]) => [name, String(value)]),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
};

/** Filters that are in the address, so that it can be shared; empty ones are left out. */
export const useParams = <Name extends string>(
  ...names: readonly Name[]
): readonly [
  Readonly<Record<Name, string>>,
  (changes: Readonly<Partial<Record<Name, string>>>) => void,
] => {
  const [params, setParams] = useSearchParams();
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])) as Record<
    Name,
    string
  >;
  const change = useCallback(
    (changes: Readonly<Partial<Record<Name, string>>>) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries<string | undefined>(changes))
            if (value === undefined || value === '') next.delete(name);
            else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [setParams],
  );
  return [values, change];
};

/** The order of a list, in the address: a field, `-` before it: descending. The first is the default. */
export const useSort = <Field extends string>(...fields: readonly [Field, ...Field[]]) => {
  const [{ sort }, change] = useParams('sort', 'offset');
  const all = fields.flatMap((field) => [field, `-${field}` as const]);
  return {
    by: oneOf<Field | `-${Field}`>(all, sort) ?? fields[0],
    onSort: (by: string) => change({ sort: by === fields[0] ? '' : by, offset: '' }),
  };
};

/** Whether a form is open, in the address: `?create=yes`. */
export const useOpen = (name: string): readonly [boolean, (isOpen: boolean) => void] => {
  const [values, change] = useParams(name);
  return [values[name] !== '', (isOpen) => change({ [name]: isOpen ? 'yes' : '' })];
};
