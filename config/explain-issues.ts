import { z } from 'zod';
import type { ConfigProblem } from './config-error.js';
import { nearestName } from './did-you-mean.js';
import { isPlainObject, keyOf, type SettingPath } from './setting-path.js';

interface Explained {
  /** What refused the settings: it knows the names that would have been right. */
  readonly schema: z.ZodType;
  readonly error: z.ZodError;
  /** Where the settings that were checked stand in the whole configuration. */
  readonly under: SettingPath;
  readonly placeOf: (path: SettingPath) => string;
}

/** Every issue of a schema in the words of an operator: place, key, what is expected. */
export const explainIssues = (explained: Explained): readonly ConfigProblem[] => {
  const names = z.toJSONSchema(explained.schema, { io: 'input', unrepresentable: 'any' });
  return explained.error.issues.flatMap((issue) => problemsOf(issue, names, explained));
};

const problemsOf = (
  issue: z.core.$ZodIssue,
  names: unknown,
  { under, placeOf }: Explained,
): readonly ConfigProblem[] => {
  const local = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  const problemAt = (path: SettingPath, message: string): ConfigProblem => ({
    place: placeOf(path),
    key: keyOf(path),
    message,
  });
  const path = [...under, ...local];
  if (issue.code !== 'unrecognized_keys') return [problemAt(path, tidy(issue.message))];
  const known = namesAt(names, local);
  return issue.keys.map((key) => problemAt([...path, key], unknownSetting(key, known)));
};

/** What to say of a key that nobody knows. */
export const unknownSetting = (key: string, known: readonly string[]): string => {
  const nearest = nearestName(key, known);
  if (nearest !== undefined) return `there is no such setting; did you mean "${nearest}"?`;
  return `there is no such setting; there are ${known.join(', ')}`;
};

/** The names that a section of a JSON Schema knows. */
const namesAt = (schema: unknown, path: SettingPath): readonly string[] => {
  const properties = isPlainObject(schema) ? schema.properties : undefined;
  if (!isPlainObject(properties)) return [];
  const [step, ...rest] = path;
  return step === undefined ? Object.keys(properties) : namesAt(properties[step], rest);
};

/** What zod says of its own accord, in words of the file; the schema's own sentences stay. */
const tidy = (message: string): string => {
  const said = message.replace(/^Invalid input: /, '');
  if (said === message) return message;
  if (/^expected (object|record)/.test(said)) return 'expected a section: its settings, indented';
  if (/^expected boolean/.test(said)) return 'expected true or false';
  return said.replace(/^expected string, .*/, 'expected text; quote what looks like a number');
};
