import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LONG_RUNS } from '../../tools/docs/describe-promises.js';
import { PROMISES } from '../../tools/docs/promises.js';
import { GENERATED_FILES, readPage, writePage } from '../../tools/docs/write-pages.js';

describe('the generated part', () => {
  it.each(GENERATED_FILES)('of docs/%s is up to date', async (page) => {
    expect(readPage(page) === (await writePage(page)), 'it is stale: run npm run docs').toBe(true);
  });

  it('of the plugin contract explains every export', () => {
    const unexplained = [...readPage('plugin-contract.md').matchAll(/^- `(\w+)`:\s*$/gm)];
    expect(unexplained.map(([, name]) => name)).toEqual([]);
  });
});

describe('a promise of docs/reliability.md', () => {
  const promises = Object.values(PROMISES).flat();

  it('is shown by tests that exist', () => {
    const hasTest = ([file, title]: readonly [string, string]): boolean => {
      const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
      return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}`));
    };
    expect(promises.filter(({ tests }) => tests.length === 0)).toEqual([]);
    expect(promises.flatMap(({ tests }) => tests).filter((test) => !hasTest(test))).toEqual([]);
  });

  it('names figures that its programs have measured', () => {
    const figures = promises.flatMap((promise) => promise.figures ?? []);
    expect(figures.filter(([run, name]) => !LONG_RUNS[run]?.figures[name])).toEqual([]);
  });
});
