import { readFileSync } from 'node:fs';

const DOCS = new URL('../../docs/', import.meta.url);

/** The programs in the docs, and their pages. */
const PAGES = {
  'rollgate-client': 'clients.md',
  'webhook-receiver': 'webhooks.md',
  'openapi-typescript': 'clients.md',
  'openapi-generator': 'clients.md',
} as const;

/** The text of a program in the docs. */
export const clientIn = (program: keyof typeof PAGES): string => {
  const page = readFileSync(new URL(PAGES[program], DOCS), 'utf8');
  const begin = `\`\`\`ts ${program}\n`;
  const start = page.indexOf(begin);
  if (start < 0) throw new Error(`docs/${PAGES[program]} has no program ${program}.`);
  return page.slice(start + begin.length, page.indexOf('```', start + begin.length));
};
