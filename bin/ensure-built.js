import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, utimesSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

/**
 * Plain JavaScript, because it makes `dist/`: npm runs no script of ours at installation
 * (`ignore-scripts` in .npmrc), and `npm ci && npm start` must do.
 */

const root = new URL('../', import.meta.url);
/** The compiler writes it last. */
const STAMP = new URL('dist/build.tsbuildinfo', root);
const SOURCES = ['src', 'plugins', 'config', 'tsconfig.json', 'tsconfig.build.json'];

/**
 * Builds `dist/` if it is missing or older than its sources. An installation without the compiler
 * runs what it has. Returns false, with a sentence on standard error, if there is nothing to run.
 */
export const ensureBuilt = () => {
  const builtAt = changedAt(STAMP) ?? 0;
  const startedAt = new Date();
  if (SOURCES.every((path) => newestIn(new URL(path, root)) <= builtAt)) return true;
  const compiler = findCompiler();
  if (compiler === undefined) return builtAt > 0 || explain('it is not built, and has no compiler');
  process.stderr.write('Building Rollgate …\n');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
    cwd: fileURLToPath(root),
    // Standard output belongs to the command that comes next.
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) return explain('its build failed');
  // The compiler leaves it as it is if nothing has changed but the time of a file.
  utimesSync(STAMP, startedAt, startedAt);
  return true;
};

/** @param {string} reason */
const explain = (reason) => {
  process.stderr.write(`Rollgate cannot run: ${reason}. Run npm ci && npm run build.\n`);
  process.exitCode = 1;
  return false;
};

/** @param {URL} path */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

/**
 * Of a file, or of all files of a folder; of a folder also when a file was removed from it.
 * @param {URL} path
 * @returns {number}
 */
const newestIn = (path) => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const folder = new URL(`${path.href}/`);
  const inside = readdirSync(folder).map((name) =>
    newestIn(new URL(encodeURIComponent(name), folder)),
  );
  return Math.max(found.mtimeMs, ...inside);
};

const findCompiler = () => {
  try {
    return createRequire(import.meta.url).resolve('typescript/bin/tsc');
  } catch {
    return undefined;
  }
};
