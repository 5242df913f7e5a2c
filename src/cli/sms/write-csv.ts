import { z } from 'zod';

/** The fields of a member that are exported. */
export const SmsMemberView = z.object({
  phone_number: z.string(),
  display_name: z.string().nullable(),
  valid_from: z.string().nullable(),
  valid_until: z.string().nullable(),
});

export const CSV_HEADER = 'phone_number,display_name,valid_from,valid_until\n';

/**
 * A spreadsheet runs text that begins like a formula; an apostrophe prevents it. Text that already
 * begins with an apostrophe gets another one, so that the import can always remove one.
 */
const guarded = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** RFC 4180, 2.6 and 2.7; many readers trim blanks at an end unless they are quoted. */
const quoted = (text: string): string =>
  /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A number is never guarded: `+` and digits are harmless, and programs expect E.164. */
export const csvLineOf = ({
  phone_number,
  display_name,
  valid_from,
  valid_until,
}: z.output<typeof SmsMemberView>): string =>
  [phone_number, quoted(guarded(display_name ?? '')), valid_from ?? '', valid_until ?? ''].join(
    ',',
  ) + '\n';
