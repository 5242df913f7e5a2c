import { InvalidArgumentError } from 'commander';
import { nearestName } from '../../config/did-you-mean.js';
import { isSlug } from '../domain/tenant.js';

/** Readers of single arguments: they refuse before anything is sent, in the words of the API. */

export const parseSlug = (text: string): string => {
  if (isSlug(text)) return text;
  throw new InvalidArgumentError(
    'A slug is 3 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit.',
  );
};

export const UNLIMITED = 'unlimited';

/** Not null for no limit: commander takes null for "not given". */
export const parseSeats = (text: string): number | typeof UNLIMITED => {
  if (text === UNLIMITED) return UNLIMITED;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a number of seats such as 50, or "unlimited".');
};

export const parseWholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };

const HTTPS_PORT = 443;

/** `hooks.example.com`, `hooks.example.com:8443`, `[2001:db8::1]:8443` */
export const parseHostAndPort = (
  text: string,
): { readonly host: string; readonly port: number } => {
  const url = URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined;
  if (url === undefined || url.href.replace(/\/$/, '') !== `https://${url.host}`)
    throw new InvalidArgumentError('Give a host, or host:port, such as hooks.example.com:8443.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: url.port === '' ? HTTPS_PORT : Number(url.port) };
};

/** For an option that may be given often, or once with commas: everything that was given. */
export const collectFrom =
  <Choice extends string>(choices: readonly Choice[]) =>
  (text: string, before: readonly Choice[] = []): readonly Choice[] => [
    ...before,
    ...text.split(',').map((part) => chooseFrom(choices, part.trim())),
  ];

const chooseFrom = <Choice extends string>(choices: readonly Choice[], text: string): Choice => {
  const choice = choices.find((name) => name === text);
  if (choice !== undefined) return choice;
  const nearest = nearestName(text, choices);
  throw new InvalidArgumentError(
    nearest === undefined ? `There are ${choices.join(', ')}.` : `Did you mean ${nearest}?`,
  );
};
