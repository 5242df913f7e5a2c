import { readFileSync } from 'node:fs';

const DOCS = new URL('../../docs/', import.meta.url);

/** The programs in the docs, and their pages. */
const PAGES = {
  'rollgate-client': 'clients.md',
  'webhook-receiver': 'webhooks.md',
  'openapi-typescript': 'clients.md',
  'openapi-generator': 'clients.md',
  'go-generator': 'clients.md',
  'go-oapi-codegen': 'clients.md',
  'java-generator': 'clients.md',
  'python-generator': 'clients.md',
} as const;

export type DocumentedClient = keyof typeof PAGES;

/** The text of a program in the docs. */
export const clientIn = (program: DocumentedClient): string => {
  const page = readFileSync(new URL(PAGES[program], DOCS), 'utf8');
  const [, text] = new RegExp(`\n\`\`\`[a-z]+ ${program}\n(.*?)\`\`\``, 's').exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/${PAGES[program]} has no program ${program}.`);
  return text;
};
