import { nameKey } from '../domain/kernel/names.js';

/**
 * Keys, by the id of their document and their field in `folded`, that an earlier version has written
 * and that are now the keys of others, since width and white space make no difference. Both
 * documents stay (decisions.md 5): one keeps its stored key until it is renamed.
 */
export type KeptKeys = Map<string, Readonly<Record<string, string>>>;

/** The fields of a document with the keys that it keeps. */
export const keepKeys = <Fields extends object>(
  fields: Fields & { readonly folded?: Readonly<Record<string, unknown>> },
  id: string,
  kept: KeptKeys,
): Fields => {
  const keys = kept.get(id);
  const { folded } = fields;
  if (!keys || !folded) return fields;
  const unchanged = Object.entries(keys).filter(
    ([field, key]) => nameKey(String(folded[field])) === nameKey(key),
  );
  return { ...fields, folded: { ...folded, ...Object.fromEntries(unchanged) } };
};
