import type { SmsMemberView } from '../views.js';

export const CSV_HEADER = 'phone_number,display_name,valid_from,valid_until\n';

/**
 * A spreadsheet runs a text that begins like a formula: an apostrophe keeps it a text. One that has
 * an apostrophe there already gets another, so that the import may take one away.
 */
const guarded = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** RFC 4180, 2.6 and 2.7; blanks at an end are part of the cell only in quotes, for many a reader. */
const quoted = (text: string): string =>
  /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A number is a plus and digits, which no spreadsheet can run: programs read it as it is. */
export const csvLineOf = ({
  phone_number,
  display_name,
  valid_from,
  valid_until,
}: SmsMemberView): string =>
  [phone_number, quoted(guarded(display_name ?? '')), valid_from ?? '', valid_until ?? ''].join(
    ',',
  ) + '\n';
