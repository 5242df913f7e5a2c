import { useCallback } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';

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
