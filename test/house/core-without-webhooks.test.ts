import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Fixed by a standard or by stored data. */
const ALLOWED = [
  // The property of an OpenAPI document that lists requests to receivers.
  'src/http/openapi/document.ts: webhooks',
  'src/http/ops/reference/render-reference.ts: webhooks',
  // Headers of the Standard Webhooks specification, for all plugins that sign what they send.
  "src/plugin/contract/signature-headers.ts: 'webhook-id'",
  "src/plugin/contract/signature-headers.ts: 'webhook-signature'",
  "src/plugin/contract/signature-headers.ts: 'webhook-timestamp'",
  // The kind of the subject in log entries from before entries stored it.
];

/**
 * Clients of a gateway, not the gateway: the typed client with `verify()` for receivers, and the
 * commands that receive webhooks during development and that apply the file of a tenant.
 */
const CLIENTS = /^src\/client\/|^src\/cli\/(commands\/(apply|tenant|webhook-listen)|program)\.ts/;

/** The names and texts of a file, without its comments. */
const wordsIn = (path: string): readonly string[] => {
  const text = readFileSync(path, 'utf8');
  if (!/webhook/i.test(text)) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const words: string[] = [];
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(file).filter((child) => !ts.isJSDoc(child));
    if (children.length === 0) words.push(node.getText(file));
    children.forEach(visit);
  };
  visit(file);
  return words;
};

it('the core has no name, path or text about webhooks: a plugin adds them', () => {
  const found = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(ROOT, 'src', name))
    .filter((path) => !CLIENTS.test(relative(ROOT, path)))
    .flatMap((path) => {
      const at = relative(ROOT, path);
      const words = wordsIn(path).filter((word) => /webhook/i.test(word));
      return [...(/webhook/i.test(at) ? [at] : []), ...words.map((word) => `${at}: ${word}`)];
    });
  expect([...new Set(found)].sort()).toEqual(ALLOWED);
});
