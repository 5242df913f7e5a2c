import { printable } from './display-width.js';
import { formatTime } from './format-time.js';
import type { Field } from './resource.js';

/** Text from the gateway, safe for a terminal; `-` for null. */
export const orDash = (text: string | null | undefined): string =>
  text === null || text === undefined || text === '' ? '-' : printable(text);

export const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

/** A field for a time: `2026-11-18T09:00Z (3 days ago)`. */
export const timeField = <View>(
  label: string,
  time: (view: View) => string | null,
  more: Partial<Field<View>> = {},
): Field<View> => ({
  label,
  text: (view, { now }) => {
    const iso = time(view);
    return iso === null ? '-' : formatTime(iso, now);
  },
  ...more,
});
