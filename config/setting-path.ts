/** The path of a setting: `['rateLimit', 'perMinute']`; a number is an index of a list. */
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

/** A copy of the object with the value at the path; unchanged if the path crosses another value. */
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

/** The value at the path, or undefined. */
export const valueAt = (object: unknown, path: SettingPath): unknown =>
  path.reduce<unknown>(
    (value, step) => (isPlainObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    object,
  );
