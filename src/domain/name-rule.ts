/**
 * Invisible characters, or ones that change how their neighbours look: joiners, marks that turn
 * the direction of writing, variation selectors, fillers (Unicode, Default_Ignorable_Code_Point).
 */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** Every space and line separator but U+0020, which look like it or like nothing. */
const OTHER_SPACE = /[^\P{White_Space}\u0020]/u;

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Its place in the text, as people count: from 1, a surrogate pair as one. */
const placeOf = (text: string, index: number): number =>
  Array.from(text.slice(0, index)).length + 1;

/**
 * Why a text cannot be a name or identifier: user names, e-mail addresses, external ids, names of
 * rooms, groups and roles. People recognise users and things by them, so no two that look the
 * same may differ in invisible characters (decision 0023). Undefined where it can be one. Names of
 * people are free text and keep their joiners and emoji.
 */
export const faultOfName = (text: string): string | undefined => {
  const invisible = INVISIBLE.exec(text);
  if (invisible)
    return `must not hold the invisible character ${codePointOf(invisible[0])} (character ${placeOf(text, invisible.index)})`;
  const space = OTHER_SPACE.exec(text);
  return space
    ? `must not hold the space ${codePointOf(space[0])} (character ${placeOf(text, space.index)}); use U+0020`
    : undefined;
};
