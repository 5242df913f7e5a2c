/** A command line that a shell has not parsed: up to the cursor. */
export interface ShellLine {
  /** Without quotes and escapes; the last one may be empty. */
  readonly words: readonly string[];
  /** The quote that is open at the cursor, or none. */
  readonly quote: '"' | "'" | '';
  /** How much of the last word the shell keeps, because a break character ends that part. */
  readonly kept: number;
}

/** Splits as bash does, but expands nothing: variables and commands stay text. */
export const parseShellLine = (line: string, wordBreaks: string): ShellLine => {
  const words: string[] = [];
  let word: string | undefined;
  let kept = 0;
  let quote: ShellLine['quote'] = '';
  const add = (text: string): void => void (word = (word ?? '') + text);
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote !== '' && character === quote) quote = '';
    else if (quote === "'") add(character);
    else if (character === '\\') add(line.charAt((at += 1)));
    else if (quote !== '') add(character);
    else if (character === '"' || character === "'") {
      quote = character;
      add('');
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = 0;
    } else {
      add(character);
      if (wordBreaks.includes(character)) kept = (word ?? '').length;
    }
  }
  return { words: [...words, word ?? ''], quote, kept: quote === '' ? kept : 0 };
};

/** What bash inserts for a candidate: the rest of the word, escaped unless a quote is open. */
export const bashInsertion = (candidate: string, { quote, kept }: ShellLine): string => {
  const rest = candidate.slice(kept);
  if (quote !== '') return rest;
  return rest.replace(/[^\w@%+=:,./-]/gu, (character) => `\\${character}`);
};
