const TIME = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
  timeZone: 'UTC',
});

/** `24 November 2026 at 14:02 UTC` */
export const timeInWords = (time: Date): string => `${TIME.format(time)} UTC`;

/** `24 November 2026`, of a date */
export const dayInWords = (day: string): string => timeInWords(new Date(day)).replace(/ at .*/, '');

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
