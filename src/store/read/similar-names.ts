import type * as mongo from 'mongodb';
import { nameDistance } from '../../../config/did-you-mean.js';
import { fold } from '../../domain/kernel/names.js';
import { haveAllWords, MAX_WORD_LENGTH, wordsIn } from '../../domain/kernel/name-words.js';

/** Words of a name that are looked up, and letters of each: typing errors are rare at the start. */
const MAX_WORDS = 3;
const LETTERS = 3;
/** Documents that are compared, for each word and index. */
const MAX_CANDIDATES = 50;
const MAX_SIMILAR = 5;

/** Sorts after every other character. */
const LAST = '\u{10ffff}';

/** Texts that begin with this one, as a range of an index. */
export const startsWith = (text: string) => ({ $gte: text, $lt: text + LAST });

/**
 * Things with a name, in this folded field, that begins with the text, or with words that begin with
 * each of its words; each of the two has an index.
 */
export const hasName = (field: string, search: string) => {
  const text = fold(search);
  const words = wordsIn(text).slice(0, MAX_WORDS);
  const everyWord = words.map((word) => ({
    'folded.words': { $elemMatch: startsWith(word.slice(0, MAX_WORD_LENGTH)) },
  }));
  return {
    $or: [{ [field]: startsWith(text) }, ...(everyWord.length > 0 ? [{ $and: everyWord }] : [])],
  };
};

/** "dispatch-team" and "Dispatch", "Dispach" and "Dispatch". */
const isSimilar = (name: string, other: string): boolean => {
  const [words, others] = [wordsIn(fold(name)), wordsIn(fold(other))];
  return (
    haveAllWords([name], others) ||
    haveAllWords([other], words) ||
    nameDistance(words.join(''), others.join('')) < Infinity
  );
};

/** The beginnings by which things with a similar name are looked up. */
export const beginningsOf = (name: string): readonly string[] => [
  ...new Set(
    wordsIn(fold(name))
      .slice(0, MAX_WORDS)
      .map((word) => word.slice(0, LETTERS)),
  ),
];

/** Those with a similar name, the first ones. */
export const similarTo = <Thing>(
  name: string,
  things: readonly Thing[],
  nameOf: (thing: Thing) => string,
): readonly Thing[] =>
  things.filter((thing) => isSimilar(name, nameOf(thing))).slice(0, MAX_SIMILAR);

interface Named {
  readonly _id: string;
  readonly tenant: string;
}

/** Documents with a similar name, from ranges of two indexes; what it costs does not grow. */
export const findSimilar = async <Document extends Named>(
  collection: mongo.Collection<Document>,
  {
    tenant,
    name,
    field,
  }: { readonly tenant: string; readonly name: string; readonly field: string },
  nameOf: (document: mongo.WithId<Document>) => string,
): Promise<readonly mongo.WithId<Document>[]> => {
  const find = (condition: object, options: object = {}) =>
    collection
      .find({ tenant, ...condition } as mongo.Filter<Document>, {
        batchSize: MAX_CANDIDATES + 1,
        ...options,
      })
      .limit(MAX_CANDIDATES)
      .toArray();
  const found = await Promise.all(
    beginningsOf(name).flatMap((beginning) => [
      find({ [field]: startsWith(beginning) }),
      find(
        { 'folded.words': { $elemMatch: startsWith(beginning) } },
        { hint: { tenant: 1, 'folded.words': 1 } },
      ),
    ]),
  );
  const unique = new Map(found.flat().map((document) => [document._id, document]));
  return similarTo(name, [...unique.values()], nameOf);
};
