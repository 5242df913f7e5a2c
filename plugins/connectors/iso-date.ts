/** Days as `yyyy-MM-dd`: they compare as text, and no time zone moves them. */
export type IsoDate = string;

const ISO = /^(\d{4})-(\d{2})-(\d{2})/;
const DAY_MS = 86_400_000;

const build = (year: number, month: number, day: number): IsoDate | undefined => {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 1000;
  return isReal ? date.toISOString().slice(0, 10) : undefined;
};

/** The day of an ISO date or time; undefined if it is none. */
export const readIsoDate = (text: string): IsoDate | undefined => {
  const parts = ISO.exec(text.trim());
  if (!parts) return undefined;
  const [, year, month, day] = parts.map(Number);
  return build(year ?? 0, month ?? 0, day ?? 0);
};

/**
 * Whether systems write it for "no date": a year below 1000 (`0001-01-01`, `00.00.0000`), `infinity` of
 * PostgreSQL.
 */
export const isNoDate = (text: string): boolean =>
  /^(-?infinity|[0./-]+|(.*\D)?0\d{3}(\D.*)?)$/i.test(
    text
      .trim()
      .slice(0, 40)
      .replace(/[T ].*$/, ''),
  );

const INSTANT = /^\d{4}-\d{2}-\d{2}[T ](?!00:00)\d{2}:\d{2}.*(Z|[+-]\d{2}:?\d{2})$/i;

/** The day of a moment there; undefined if it is none. Midnight is how dates without a time are written. */
export const dayIn = (timeZone: string, text: string): IsoDate | undefined => {
  if (timeZone === 'UTC' || !INSTANT.test(text.trim())) return undefined;
  const at = new Date(text.trim());
  return Number.isNaN(at.getTime()) ? undefined : dateIn(timeZone, at);
};

export const addDays = (date: IsoDate, days: number): IsoDate =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** The day that it is in this time zone. */
export const dateIn = (timeZone: string, at: Date): IsoDate => {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
};

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** Letters of a format, as in Unicode's date patterns. */
const TOKENS = /yyyy|yy|MMM|MM|M|dd|d/g;
const PATTERNS: Readonly<Record<string, string>> = {
  yyyy: '(?<y>\\d{4})',
  yy: '(?<yy>\\d{2})',
  MMM: '(?<mmm>[A-Za-z]{3})',
  MM: '(?<m>\\d{2})',
  M: '(?<m>\\d{1,2})',
  dd: '(?<d>\\d{2})',
  d: '(?<d>\\d{1,2})',
};

/** Compiles a format such as `dd.MM.yyyy`; throws a sentence if it has no day, month or year. */
export const compileDateFormat = (format: string): ((text: string) => IsoDate | undefined) => {
  let from = 0;
  let source = '';
  for (const token of format.matchAll(TOKENS)) {
    source += escapeForRegExp(format.slice(from, token.index)) + (PATTERNS[token[0]] ?? '');
    from = token.index + token[0].length;
  }
  source += escapeForRegExp(format.slice(from));
  const hasAll = [/y/, /M/, /d/].every((letter) => letter.test(format));
  if (!hasAll)
    throw new RangeError(`"${format}" is not a date format: use yyyy, MM and dd, as in dd.MM.yyyy`);
  const pattern = new RegExp(`^${source}`);
  return (text) => {
    const groups = pattern.exec(text.trim())?.groups;
    if (!groups) return undefined;
    const { y, yy, m, mmm, d } = groups;
    // Two digits: the century that keeps the date within 80 years back and 20 years ahead of 2020.
    const year = y === undefined ? 1900 + Number(yy) + (Number(yy) < 41 ? 100 : 0) : Number(y);
    const month = mmm === undefined ? Number(m) : MONTHS.indexOf(mmm.toLowerCase()) + 1;
    return build(year, month, Number(d));
  };
};

const escapeForRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
