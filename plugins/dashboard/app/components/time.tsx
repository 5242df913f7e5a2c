const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const ZONED_TIME = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
const MINUTE = new Intl.DateTimeFormat('en-GB', { ...DATE, ...ZONED_TIME });
const ABSOLUTE = new Intl.DateTimeFormat('en-GB', { ...DATE, ...ZONED_TIME, second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const MONTH_SECONDS = 30 * 86_400;

const relative = (at: Date, now: Date): string => {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  if (Math.abs(seconds) < 5) return 'just now';
  if (Math.abs(seconds) > MONTH_SECONDS) return DAY.format(at);
  const [unit, length] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return RELATIVE.format(Math.trunc(seconds / length), unit);
};

type Form = 'relative' | 'absolute' | 'minute' | 'clock';

const textOf = (at: Date, form: Form): string => {
  if (form === 'relative') return relative(at, new Date());
  return { absolute: ABSOLUTE, minute: MINUTE, clock: CLOCK }[form].format(at);
};

/** `2026-11-24T14:02:00.000Z`, or `24 November 2026 at 14:02 UTC` */
const TIME = /(\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2} [A-Z][a-z]+ \d{4} at \d\d:\d\d UTC)/;

/** In a name, they would change the direction of all that follows. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A sentence of the gateway, with the times in it as people read them, in their own time zone. */
export const Sentence = ({ text }: { readonly text: string }) => (
  <>
    {text
      .replace(DIRECTION_MARKS, '')
      .split(TIME)
      .map((part, index) =>
        index % 2 === 0 ? part : <Time at={part.replace(' at ', ' ')} form="minute" />,
      )}
  </>
);

/** A time; the tooltip has the exact one. Without a time: a dash with a reason. */
export const Time = ({
  at,
  form = 'relative',
  none = 'never',
}: {
  readonly at: string | null | undefined;
  readonly form?: Form;
  readonly none?: string;
}) => {
  if (at == null) return <span class="quiet">{none}</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={`${ABSOLUTE.format(date)} (${at})`}>
      {textOf(date, form)}
    </time>
  );
};
