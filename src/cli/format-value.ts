import { printable } from './display-width.js';

/** Text from the gateway, safe for a terminal; `-` if there is none. */
export const orDash = (text: string | null | undefined): string =>
  text === null || text === undefined || text === '' ? '-' : printable(text);

export const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
