import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  /** Set if another package replaces the requested one. */
  readonly name?: string;
  readonly dev?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const lock = JSON.parse(read('package-lock.json')) as Lock;
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;

const pathsWhere = (holds: (entry: LockedPackage) => boolean): readonly string[] =>
  locked.filter(([, entry]) => holds(entry)).map(([path]) => path);

describe('the lock file', () => {
  it('has version 3 and is not empty', () => {
    expect(lock.lockfileVersion).toBe(3);
    expect(locked.length).toBeGreaterThan(100);
  });

  it('pins the content of every package', () => {
    expect(pathsWhere(({ integrity = '' }) => !/^sha512-[\w+/]{86}==$/.test(integrity))).toEqual(
      [],
    );
  });

  it('contains the optional packages of every platform, which npm ci requires', () => {
    const names = new Set(locked.map(([path]) => path.replace(/^.*node_modules\//, '')));
    const wanted = locked.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });

  it('contains no registry, repository or folder', () => {
    expect(pathsWhere(({ resolved, link }) => resolved !== undefined || link === true)).toEqual([]);
    expect(read('package-lock.json')).not.toMatch(/git\+|github:|file:/);
  });

  it('has no package with an install script, except those that work without it', () => {
    // esbuild's script only replaces a shim by the binary, which is in another package. Those of ssh2
    // and cpu-features build native code; without it, ssh2 uses node:crypto. Sass watches files with
    // @parcel/watcher, which the build does not.
    expect(pathsWhere(({ hasInstallScript }) => hasInstallScript === true)).toEqual([
      'node_modules/@parcel/watcher',
      'node_modules/cpu-features',
      'node_modules/esbuild',
      'node_modules/ssh2',
    ]);
  });

  it('replaces no package by another, except those that docs/dependencies.md explains', () => {
    expect(pathsWhere(({ name }) => name !== undefined)).toEqual([
      'node_modules/qs/node_modules/side-channel',
    ]);
    expect(read('docs/dependencies.md')).toContain('`@socketregistry/side-channel`');
  });
});

describe('the production dependencies', () => {
  const production = pathsWhere(({ dev }) => dev !== true);
  const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

  it('are at most 150 packages', () => {
    expect(production.length).toBeGreaterThan(50);
    expect(production.length).toBeLessThanOrEqual(150);
  });

  it.each(['mongodb', 'bson', 'mongoose', 'express', 'rxjs', 'zod', 'scimmy', 'pino', 'undici'])(
    'contain one version of %s',
    (name) => {
      expect(production.filter((path) => nameOf(path) === name)).toEqual([`node_modules/${name}`]);
    },
  );
});

describe('npm', () => {
  it('runs no script during installation', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
    const named = Object.keys(manifest.scripts ?? {});
    // npm runs `pretest` and `posttest` with `test`; "postman" belongs to no script.
    const isHook = (name: string): boolean =>
      named.some((other) => name === `pre${other}` || name === `post${other}`);
    expect(named.filter((name) => isHook(name) || /install|prepare/.test(name))).toEqual([]);
  });
});

describe('the manifest', () => {
  it.each(['dependencies', 'devDependencies'])('pins exact versions of %s', (kind) => {
    const loose = Object.entries(manifest[kind] ?? {}).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });
});
