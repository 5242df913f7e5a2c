import { effect, type Signal, signal } from '@preact/signals';
import { oneOf } from './address.ts';

const all: (() => void)[] = [];

/**
 * A choice that the browser remembers and the document has as `data-<name>`, unless it is the first.
 */
const preference = <Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): Signal<Value> => {
  const storedAs = `rollgate-${name}`;
  const [byDefault] = values;
  const chosen = signal(oneOf(values, localStorage.getItem(storedAs) ?? '') ?? byDefault);
  all.push(() => {
    localStorage.setItem(storedAs, chosen.value);
    const { documentElement: root } = document;
    if (chosen.value === byDefault) root.removeAttribute(`data-${name}`);
    else root.setAttribute(`data-${name}`, chosen.value);
  });
  return chosen;
};

export const theme = preference('theme', ['system', 'light', 'dark']);

/** The height of rows. */
export const density = preference('density', ['comfortable', 'compact']);

/** Applies them to the document, now and whenever they change. */
export const applyPreferences = (): void => all.forEach((apply) => effect(apply));
