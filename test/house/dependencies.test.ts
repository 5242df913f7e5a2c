import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(read('package.json')) as Manifest;
const declared = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)];
const explained = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` *\| \S/gm)].map(
  ([, name]) => name,
);

describe('every dependency', () => {
  it('has a line in docs/dependencies.md, and every line has a dependency', () => {
    expect(explained.sort()).toEqual(declared.sort());
  });
});
