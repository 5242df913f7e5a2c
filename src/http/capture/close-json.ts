/** Deeper documents are refused by the API. */
const MAX_DEPTH = 100;

/**
 * Completes JSON that was cut off: leaves out its last, incomplete value and closes what is open.
 * Undefined if it is nested too deeply; the result need not be valid if the text was not.
 */
export const closeJson = (cut: string): string | undefined => {
  const closers: string[] = [];
  /** Up to here, the text is complete but for its closers. */
  let end = 0;
  let isInString = false;
  for (let at = 0; at < cut.length; at += 1) {
    const character = cut.charAt(at);
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
      continue;
    }
    if (character === '"') isInString = true;
    else if (character === ',') end = at;
    else if (character === '{' || character === '[') {
      if (closers.push(character === '{' ? '}' : ']') > MAX_DEPTH) return undefined;
      end = at + 1;
    } else if (character === '}' || character === ']') {
      closers.pop();
      end = at + 1;
    }
  }
  return cut.slice(0, end) + closers.reverse().join('');
};
