import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HELP } from '../../plugins/dashboard/app/help.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GENERATED = ['node_modules', 'dist', 'coverage', 'results'];

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return entry.name.startsWith('.') || GENERATED.includes(entry.name) ? [] : filesIn(path);
  });

const files = filesIn('.');
const documents = files.filter((path) => path.endsWith('.md'));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

const matchesOf = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, match]) => match!);

/** The anchor that GitHub derives from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const isBrokenLink = (document: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#', 2);
  const target = path === '' ? document : normalize(join(dirname(document), path));
  if (!existsSync(join(ROOT, target))) return true;
  if (anchor === undefined) return false;
  return !matchesOf(read(target), /^#+ (.+)$/gm)
    .map(anchorOf)
    .includes(anchor);
};

/** Documents shorten paths: `lanes.ts` and `pipeline/lanes.ts` are src/pipeline/lanes.ts. */
const filesNamed = (path: string): readonly string[] =>
  files.filter((file) => `/${file}`.endsWith(`/${path.replace(/^(\.\.\/)+/, '')}`));

const isUnknownFile = (path: string): boolean => filesNamed(path).length === 0;

/** Whether one of the files declares the name. */
const isDeclared = (name: string, path: string): boolean =>
  filesNamed(path).some((file) =>
    new RegExp(`^\\s*(?:export )?(?:const|type|interface|class) ${name}\\b`, 'm').test(read(file)),
  );

it('the Help of every page of the dashboard leads to a heading', () => {
  const targets = HELP.map(([section]) => section.replace(/(?=#)|$/, '.md'));
  expect(targets.filter((target) => isBrokenLink('docs/README.md', target))).toEqual([]);
});

it('the index of decisions lists every record with its title', () => {
  const folder = 'docs/decisions';
  const records = documents.filter((path) => /\/decisions\/\d{4}-/.test(path)).toSorted();
  const index = matchesOf(read(`${folder}/README.md`), /^\| \[(\d{4}\]\(.*\S)\s+\|$/gm);
  expect(index.map((row) => row.replaceAll(/\s+\| /g, ' '))).toEqual(
    records.map((path) => {
      const [, number, title] = /^# (\d{4}) (.*)$/m.exec(read(path))!;
      return `${number}](${path.slice(folder.length + 1)}) ${title}`;
    }),
  );
});

it('each row of "What happens when …" names a test that exists', () => {
  const [, table = ''] =
    /^## What happens when …$(.*?)^## /ms.exec(read('docs/connectors.md')) ?? [];
  const rows = matchesOf(table, /^\| (?!-|in the source|\*\*)(.*)\|$/gm);
  const isNamed = (row: string): boolean => {
    const [, title = '', path = ''] = /\| \[(.+)\]\(\.\.\/(.+\.test\.ts)\)\s*$/.exec(row) ?? [];
    // A name that several tests begin with stands for all of them.
    return title !== '' && new RegExp(`['\`]${title}`).test(read(path));
  };
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !isNamed(row))).toEqual([]);
});

describe.each(documents)('%s', (document) => {
  const text = read(document);

  it('links to existing files and headings', () => {
    const links = matchesOf(text, /\]\(((?!https?:)[^)\s]+)\)/g);
    expect(links.filter((link) => isBrokenLink(document, link))).toEqual([]);
  });

  it('names existing source files', () => {
    const paths = matchesOf(text, /`([\w./-]+\.ts)`/g);
    expect(paths.filter(isUnknownFile)).toEqual([]);
  });

  it('names functions and tables of existing files', () => {
    const named = [...text.matchAll(/`(\w+)` in `([\w./-]+\.ts)`/g)];
    const missing = named.filter(([, name, path]) => !isDeclared(name!, path!));
    expect(missing.map(([phrase]) => phrase)).toEqual([]);
  });

  it('names existing npm scripts', () => {
    const names = matchesOf(text, /npm run ([a-z][\w:-]*)/g);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });
});
