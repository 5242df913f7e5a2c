import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

/**
 * Plain JavaScript, because it creates `dist/`: npm runs no scripts at installation
 * (`ignore-scripts` in .npmrc), and `npm ci && npm start` must suffice.
 */

const root = new URL('../', import.meta.url);
/** Written last by the build, with the time of its start. */
const STAMP = new URL('dist/build.stamp', root);
const BUILD = 'tools/build.js';
const SOURCES = [
  ...['src', 'plugins', 'connectors', 'config', 'docs', 'openapi.json', 'tsconfig.json'],
  BUILD,
];

/**
 * Builds `dist/` if it is missing or older than its sources. Without the compiler, an existing build
 * is used. Resolves when the programs can run: the build may still be bundling the dashboard, unless the
 * whole is waited for. Resolves with false, with a message on standard error, if there is nothing to run.
 */
export const ensureBuilt = async ({ isWhole = false } = {}) => {
  const builtAt = changedAt(STAMP) ?? 0;
  // The published package has no sources, and modification times of its installation.
  if (builtAt > 0 && changedAt(new URL('src', root)) === undefined) return true;
  if (SOURCES.every((path) => newestIn(new URL(path, root)) <= builtAt)) return true;
  if (!COMPILERS.every(isInstalled))
    return builtAt > 0 || explain('it is not built, and the compiler is not installed');
  process.stderr.write('Building Rollgate …\n');
  return (await build(isWhole)) || explain('the build failed');
};

/**
 * Resolves with true once the programs are built, or all is, and with false if the build fails before.
 * @param {boolean} isWhole
 */
const build = (isWhole) =>
  new Promise((/** @type {(isBuilt: boolean) => void} */ resolve) => {
    const child = spawn(process.execPath, [BUILD, '--programs'], {
      cwd: fileURLToPath(root),
      // Standard output is for the command itself.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    if (!isWhole) child.once('message', () => resolve(true));
    // After the programs it says itself what failed: the gateway runs with the last dashboard.
    child.once('exit', (code) => resolve(code === 0));
  });

/** @param {string} reason */
const explain = (reason) => {
  process.stderr.write(`Cannot run Rollgate: ${reason}. Run npm ci && npm run build.\n`);
  process.exitCode = 1;
  return false;
};

/** @param {URL} path */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs;

/**
 * Not the settings of a gateway that runs from a clone, which change while it runs, nor the types of
 * `src/client/generated`: checks write them, and no program contains them.
 * @param {string} name
 */
const isSource = (name) => !name.endsWith('.yaml') && name !== 'generated';

/**
 * The latest change of a file, or of a folder and every source in it.
 * @param {URL} path
 * @returns {number}
 */
const newestIn = (path) => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const folder = new URL(`${path.href}/`);
  const names = readdirSync(folder);
  const sources = names.filter(isSource);
  const inside = sources.map((name) => newestIn(new URL(encodeURIComponent(name), folder)));
  // A folder with something else changes when that is created.
  return Math.max(sources.length === names.length ? found.mtimeMs : 0, ...inside);
};

/** Development dependencies, which a deployment may leave out. */
const COMPILERS = ['esbuild', 'vite'];

/** @param {string} name */
const isInstalled = (name) => {
  try {
    return createRequire(import.meta.url).resolve(name) !== '';
  } catch {
    return false;
  }
};
