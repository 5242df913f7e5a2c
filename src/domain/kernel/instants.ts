const DATE_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

/** An RFC 3339 date and time, or a date, in UTC with milliseconds. Without an offset it is UTC. */
export const parseInstant = (text: string): string | undefined => {
  if (!DATE_TIME.test(text)) return undefined;
  const zoned = /T/i.test(text) && !/(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? `${text}Z` : text;
  const time = new Date(zoned);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
};
