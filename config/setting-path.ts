/** Where a setting stands: `['rateLimit', 'perMinute']`; a number is a place in a list. */
export type SettingPath = readonly (string | number)[];

export type PlainObject = Readonly<Record<string, unknown>>;

export const isPlainObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `plugins.webhooks.retry[2]` */
export const keyOf = (path: SettingPath): string =>
  path.reduce<string>((key, step) => {
    if (typeof step === 'number') return `${key}[${step}]`;
    return key === '' ? step : `${key}.${step}`;
  }, '');

/** The object with the value put in its place; as it was where something else is in the way. */
export const withSetting = (
  object: PlainObject,
  [step, ...rest]: SettingPath,
  value: unknown,
): PlainObject => {
  if (step === undefined) return object;
  if (rest.length === 0) return { ...object, [step]: value };
  const inner = object[step] ?? {};
  return isPlainObject(inner) ? { ...object, [step]: withSetting(inner, rest, value) } : object;
};

/** What stands at the path; undefined where nothing does. */
export const valueAt = (object: unknown, path: SettingPath): unknown =>
  path.reduce<unknown>(
    (value, step) => (isPlainObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    object,
  );
