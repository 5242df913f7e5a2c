import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const tracked = (): readonly string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: root, stdio: 'pipe' })
    .toString()
    .split('\0')
    .filter((path) => path !== '');

const linesWith = (pattern: RegExp): readonly string[] =>
  tracked().flatMap((path) =>
    readFileSync(`${root}${path}`, 'utf8')
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );

// An archive of the repository has no list of tracked files.
describe.runIf(existsSync(`${root}.git`))('tracked files', () => {
  it('are listed by git, this one among them', () => {
    expect(tracked()).toContain('test/house/tracked-files.test.ts');
  });

  it('contain no package registry', () => {
    expect(linesWith(/\/\/[\w.-]*\b(registry|artifactory|nexus|verdaccio)\b[\w-]*\./i)).toEqual([]);
    expect(linesWith(/^\s*(registry|index-url|_auth\w*)\s*=/)).toEqual([]);
  });

  it('contain no path of a development machine', () => {
    // HiBob names fields of people as paths below this folder: its id.
    expect(linesWith(/(^|[\s'"`(=])\/(root(?!\/id\b)|work|home)\/\w/)).toEqual([]);
  });
});
