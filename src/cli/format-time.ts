import { timeInWords } from '../domain/kernel/in-words.js';

const STEPS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const format = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** By so many seconds the gateway's clock may be ahead: a new item is not in the future. */
const MAX_AHEAD = 5;

/** `3 days ago`; `just now` if that is less than a minute; `in 24 hours`, to the nearest. */
export const relativeTime = (time: Date, now: Date): string => {
  const seconds = (time.getTime() - now.getTime()) / 1_000;
  if (seconds > MAX_AHEAD) return untilThen(seconds);
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  if (step === undefined) return 'just now';
  const [unit, size] = step;
  return format.format(Math.trunc(seconds / size), unit);
};

const untilThen = (seconds: number): string => {
  // Whole seconds: some milliseconds of a requested minute have passed.
  if (Math.round(seconds) < 60) return 'in less than a minute';
  const [unit, size] = STEPS.find((step) => seconds >= step[1]) ?? (['minute', 60] as const);
  return format.format(Math.round(seconds / size), unit);
};

/** `2026-11-18T09:00Z (3 days ago)`; text that is no time is returned unchanged. */
export const formatTime = (iso: string, now: Date): string => {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  return `${time.toISOString().slice(0, 16)}Z (${relativeTime(time, now)})`;
};

/** `18 November 2026 at 09:00 UTC, 3 days ago`: for sentences. */
export const timeAndAge = (iso: string, now: Date): string =>
  `${timeInWords(new Date(iso))}, ${relativeTime(new Date(iso), now)}`;

/** `2026-11-18T09:00:12Z`: for logs. */
export const formatSecond = (iso: string): string => iso.replace(/\.\d+Z$/, 'Z');
