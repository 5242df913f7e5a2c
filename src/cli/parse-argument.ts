import { InvalidArgumentError } from 'commander';
import { nearestName } from '../../config/did-you-mean.js';
import { parseDuration } from '../../config/duration.js';
import { EVENT_NAMES, type EventName } from '../domain/events.js';
import { isSlug } from '../domain/tenant/tenant.js';

/** Parsers of arguments and options: wrong ones are refused before anything is sent. */

export const parseSlug = (text: string): string => {
  if (isSlug(text)) return text;
  throw new InvalidArgumentError(
    'A slug has 3 to 63 characters of a-z, 0-9 and -, and begins and ends with a letter or digit.',
  );
};

/** Scripts with an unset variable pass an empty text, which as part of a path would mean the list. */
export const parseArgument = (text: string): string => {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
};

export const parseSeats = (text: string): number | null => {
  if (text === 'unlimited') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a number such as 50, or "unlimited".');
};

export const parseWholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
  };

const HTTPS_PORT = 443;

/** `hooks.example.com`, `hooks.example.com:8443`, `[2001:db8::1]:8443` */
export const parseHostAndPort = (
  text: string,
): { readonly host: string; readonly port: number } => {
  const url = URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined;
  if (url === undefined || url.href.replace(/\/$/, '') !== `https://${url.host}`)
    throw new InvalidArgumentError('Use host or host:port, such as hooks.example.com:8443.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: url.port === '' ? HTTPS_PORT : Number(url.port) };
};

/** A date, or a time with its offset: a time without one would mean another moment elsewhere. */
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** ISO 8601, as the API takes it; undefined if the text is no time. */
const isoTime = (text: string): string | undefined =>
  TIME.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;

export const parseTime = (text: string): string => {
  const time = isoTime(text);
  if (time !== undefined) return time;
  throw new InvalidArgumentError('Use a time such as 2026-01-31T12:00:00Z, or a date.');
};

/** A time, or a duration before (-1) or after (1) now; undefined if the text is neither. */
const relativeTime = (text: string, now: Date, direction: -1 | 1): string | undefined => {
  const duration = parseDuration(text);
  return duration === undefined
    ? isoTime(text)
    : new Date(now.getTime() + direction * duration).toISOString();
};

/** A time, or in how long it will be. */
export const parseFutureTime = (text: string, now: Date): string => {
  const time = relativeTime(text, now, 1);
  if (time !== undefined) return time;
  throw new InvalidArgumentError(
    'Use a time such as 2026-01-31T12:00:00Z, or how long from now, such as 30m or 2h.',
  );
};

/** A time, or how long ago it was. */
export const parsePastTime = (text: string, now: Date): string => {
  const time = relativeTime(text, now, -1);
  if (time !== undefined) return time;
  throw new InvalidArgumentError(
    'Use a time such as 2026-01-31T12:00:00Z, a date, or how long ago, such as 30m, 2h or 7d.',
  );
};

/** More are not read in an error. */
const MAX_NAMED = 12;

export const parseChoice =
  <Choice extends string>(choices: readonly Choice[]) =>
  (text: string): Choice => {
    const choice = choices.find((name) => name === text);
    if (choice !== undefined) return choice;
    const nearest = nearestName(text, choices);
    throw new InvalidArgumentError(
      nearest === undefined
        ? `Allowed: ${choices.slice(0, MAX_NAMED).join(', ')}${choices.length > MAX_NAMED ? ` and ${choices.length - MAX_NAMED} more; Tab completes them` : ''}.`
        : `Did you mean ${nearest}?`,
    );
  };

/** For an option that can be repeated, or given once with commas. */
export const parseList =
  <Choice extends string>(choices: readonly Choice[]) =>
  (text: string): readonly Choice[] =>
    text.split(',').map((part) => parseChoice(choices)(part.trim()));

const FAMILIES = [...new Set(EVENT_NAMES.map((name) => `${name.split('.')[0] ?? ''}.*`))];

/** How events are named: one, a family, or all. */
export const EVENT_PATTERNS = [...EVENT_NAMES, ...FAMILIES, '*'];

/** The events of names and families: `user.*`, `*`. */
export const parseEvents = (text: string): readonly EventName[] => {
  const patterns = parseList(EVENT_PATTERNS)(text);
  return EVENT_NAMES.filter((name) =>
    patterns.some(
      (one) =>
        one === '*' || one === name || (one.endsWith('.*') && name.startsWith(one.slice(0, -1))),
    ),
  );
};
