/**
 * Characters that are invisible or change the characters next to them: joiners, direction marks,
 * variation selectors, fillers (Unicode, Default_Ignorable_Code_Point).
 */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** All spaces and line separators except U+0020. */
const OTHER_SPACE = /[^\P{White_Space}\u0020]/u;

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Position in the text in code points, from 1. */
const positionOf = (text: string, index: number): number =>
  Array.from(text.slice(0, index)).length + 1;

/**
 * Why a text cannot be a name or identifier (user name, e-mail address, external id, name of a room,
 * group or role); undefined if it can. Two of them that look the same must not differ in invisible
 * characters (decision 0023). Display names of people are free text, with joiners and emoji.
 */
export const nameError = (text: string): string | undefined => {
  const invisible = INVISIBLE.exec(text);
  if (invisible)
    return `must not contain the invisible character ${codePointOf(invisible[0])} (character ${positionOf(text, invisible.index)})`;
  const space = OTHER_SPACE.exec(text);
  return space
    ? `must not contain the space ${codePointOf(space[0])} (character ${positionOf(text, space.index)}); use U+0020`
    : undefined;
};
