const TIME = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  timeZone: 'UTC',
});

/** `24 November 2026 at 14:02 UTC` */
export const timeInWords = (time: Date): string => `${TIME.format(time)} UTC`;

/** `24 November 2026`, of a date */
export const dayInWords = (day: string): string => timeInWords(new Date(day)).replace(/ at .*/, '');

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `e-mail taken`, of EMAIL_TAKEN: for sentences. */
export const codeInWords = (code: string): string =>
  code
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/\bemail\b/, 'e-mail')
    .replace(/\b(?:api|json|scim|sms|id)\b/g, (word) => word.toUpperCase());

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** `6 h`, `40 min`, `3 d`; `less than a minute` */
export const durationInWords = (milliseconds: number): string => {
  // `90 min` says more than `1 h`, and `36 h` more than `1 d`.
  const unit = UNITS.find(([name, size]) => milliseconds >= (name === 'min' ? size : 2 * size));
  if (unit === undefined) return 'less than a minute';
  const [name, size] = unit;
  return `${Math.round(milliseconds / size)} ${name}`;
};
