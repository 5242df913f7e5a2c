import { nameKey } from '../../domain/kernel/names.js';
import { nameWords } from '../../domain/kernel/name-words.js';

/** A name's key, under the name's own field, and its words, which documents of version 0.1.0 lack. */
export type FoldedName<Field extends string> = Readonly<Record<Field, string>> & {
  readonly words?: readonly string[];
};

/** `folded` of a document with this name. */
export const foldedName = <Field extends string>(field: Field, name: string) =>
  ({ [field]: nameKey(name), words: nameWords([name]) }) as FoldedName<Field>;
