import { readFileSync } from 'node:fs';

const PAGE = new URL('../../docs/clients.md', import.meta.url);

export type Generator = 'openapi-typescript' | 'openapi-generator';

/** The program in docs/clients.md for this generator. */
export const clientIn = (generator: Generator): string => {
  const page = readFileSync(PAGE, 'utf8');
  const begin = `\`\`\`ts ${generator}\n`;
  const start = page.indexOf(begin);
  if (start < 0) throw new Error(`docs/clients.md has no program for ${generator}.`);
  return page.slice(start + begin.length, page.indexOf('```', start + begin.length));
};
