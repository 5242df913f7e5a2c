/**
 * Keys, by the id of their document and their field in `folded`, that an earlier version has written
 * and that are now the keys of others, since width and white space make no difference. Both
 * documents stay (decisions.md 5): one keeps its stored key until it is renamed.
 */
export type KeptKeys = Map<string, Readonly<Record<string, string>>>;

/** As earlier versions folded: case only. */
const foldCase = (text: unknown): string =>
  String(text).normalize('NFC').toLowerCase().normalize('NFC');

interface Named {
  readonly folded?: Readonly<Record<string, unknown>>;
  readonly profile?: { readonly userName?: unknown };
}

/** The text that a key is made from: of users it is in the profile. */
const textOf = (fields: Named, field: string): unknown =>
  field === 'userName' ? fields.profile?.userName : (fields as Record<string, unknown>)[field];

/** The fields of a document with the keys that it keeps: those of texts that are still the same. */
export const keepKeys = <Fields extends object>(
  fields: Fields & Named,
  id: string,
  kept: KeptKeys,
): Fields => {
  const keys = kept.get(id);
  const { folded } = fields;
  if (!keys || !folded) return fields;
  const unchanged = Object.entries(keys).filter(
    ([field, key]) => foldCase(textOf(fields, field)) === key,
  );
  return { ...fields, folded: { ...folded, ...Object.fromEntries(unchanged) } };
};
