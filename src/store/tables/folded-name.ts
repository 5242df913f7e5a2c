import { nameKey } from '../../domain/kernel/names.js';
import { nameWords } from '../../domain/kernel/name-words.js';

/** `folded` of a document with this name: its key, under the name's own field, and its words. */
export const foldedName = <Field extends string>(field: Field, name: string) =>
  ({ [field]: nameKey(name), words: nameWords([name]) }) as Readonly<Record<Field, string>> & {
    readonly words: readonly string[];
  };
