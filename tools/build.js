import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import { build } from 'esbuild';
import { build as buildSite } from 'vite';
import { writeClientTypes } from './write-client.js';

/**
 * `npm run build`: programs by esbuild (a few files instead of 1,200 halve the start), the dashboard
 * by Vite, and the declarations by the compiler, which also checks the types. What is imported on
 * first use has files of its own; what several programs use is shared, so that an extension's
 * `rollgate/plugin` is the module that the gateway uses. With `--programs`, as for a first start, there
 * are no declarations: the compiler needs several times as long as everything else. The programs come
 * first, and the parent process hears of them: it starts the gateway, which looks for mongod and starts
 * it while the dashboard is bundled (bin/ensure-built.js).
 */

const root = fileURLToPath(new URL('../', import.meta.url));
const require = createRequire(import.meta.url);
const DAY_MS = 86_400_000;
const SITE = 'dist/plugins/dashboard/site';

const main = async () => {
  const isComplete = !process.argv.includes('--programs');
  // Before the time of the stamp, which must not be older than these files.
  if (isComplete) await writeClientTypes();
  const startedAt = new Date();
  const [declarations, written] = await Promise.all([
    isComplete ? step('declarations', writeDeclarations) : true,
    writePrograms(),
  ]);
  if (!declarations) {
    process.exitCode = 1;
    return;
  }
  const keptSince = process.argv.includes('--clean') ? Infinity : startedAt.getTime() - DAY_MS;
  removeOldFiles(join(root, 'dist'), new Set(written), keptSince);
  // Last: whatever is older than the sources is built again (bin/ensure-built.js).
  const stamp = join(root, 'dist/build.stamp');
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
};

/** Returns the paths of the written files. */
const writePrograms = async () => {
  writePlaceholder();
  const programs = await step('programs', () => Promise.all([bundle(), bundleClient()]));
  process.send?.('programs');
  return [...programs.flat(), ...(await step('dashboard', bundleDashboard))];
};

/** What the gateway serves until the first dashboard is bundled, a moment later. */
const writePlaceholder = () => {
  const page = join(root, SITE, 'index.html');
  if (existsSync(page)) return;
  mkdirSync(join(root, SITE), { recursive: true });
  writeFileSync(
    page,
    `<!doctype html>
<html lang="en"><title>Rollgate</title><meta http-equiv="refresh" content="1">
<p>The dashboard is being built. This page reloads by itself; if the build fails, the terminal says why.</p></html>
`,
  );
};

/**
 * Says when a part of the build is done. On standard error: standard output belongs to the command
 * that is being built.
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} work
 */
const step = async (name, work) => {
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stderr.write(`  ${name}: ${seconds.toFixed(1)} s\n`);
  return result;
};

/** Returns whether the types are right. */
const writeDeclarations = async () => {
  const tsc = [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json'];
  const compiler = spawn(process.execPath, tsc, { cwd: root, stdio: ['ignore', 2, 2] });
  await once(compiler, 'close');
  return compiler.exitCode === 0;
};

/** @type {{ readonly peerDependencies?: Readonly<Record<string, string>> }} */
// eslint-disable-next-line @typescript-eslint/no-unsafe-assignment
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const optionalPackages = Object.keys(manifest.peerDependencies ?? {});

/** Returns the paths of the written files. */
const bundle = async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      'src/main': 'src/main.ts',
      'src/cli': 'src/cli.ts',
      'src/plugin/api': 'src/plugin/api.ts',
      'src/plugin/testing': 'src/plugin/testing.ts',
      'src/start/connector-process': 'src/start/connector-process.ts',
    },
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    // esbuild's `keepNames` wraps every function in a call, also those that each request creates: an
    // eighth of the CPU of a create. Names stay as they are anyway, unless two of one scope collide.
    keepNames: false,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'eof',
    // The first starts a script of its own, and is used by the embedded database only; the others are
    // installed by who uses their connector.
    external: ['mongodb-memory-server-core', ...optionalPackages],
    // The CommonJS build, which Node.js would choose, has no parts to leave out.
    alias: { rxjs: join(root, 'node_modules/rxjs/dist/esm/index.js') },
    banner: {
      js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);",
    },
    plugins: [withoutUnusedParts, withoutMapsOfPackages],
    metafile: true,
    logLevel: 'warning',
  });
  const written = Object.keys(metafile.outputs).map((path) => join(root, path));
  requireNames(written.filter((path) => path.endsWith('.js')));
  return written;
};

/** `rollgate/client`, for browsers too: without Node.js's banner, readable, and with its sources. */
const bundleClient = async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { 'src/client/index': 'src/client/index.ts' },
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    sourcemap: 'linked',
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.outputs).map((path) => join(root, path));
};

/** The dashboard, for browsers. Returns the paths of the written files. */
const bundleDashboard = async () => {
  const built = await buildSite({
    configFile: join(root, 'plugins/dashboard/vite.config.js'),
    logLevel: 'warn',
  });
  const outputs = Array.isArray(built) ? built : [built];
  return outputs.flatMap((result) =>
    'output' in result ? result.output.map(({ fileName }) => join(root, SITE, fileName)) : [],
  );
};

/** Classes that others recognise by name: scimmy derives paths from it, and logs show errors by it. */
const RENAMED = /\bclass ((?:\w*Error|\w*Lost|\w*Conflict|User|Group)\d+)\b/;

/**
 * Fails the build if two classes of one name came into the same scope.
 * @param {readonly string[]} paths
 */
const requireNames = (paths) => {
  for (const path of paths) {
    const [, name] = RENAMED.exec(readFileSync(path, 'utf8')) ?? [];
    if (name !== undefined) throw new Error(`The bundle renames a class to ${name}, in ${path}.`);
  }
};

/**
 * Parts of packages that no program uses but every start would parse, and what takes their place.
 * @type {ReadonlyMap<RegExp, string>}
 */
const UNUSED_PARTS = new Map([
  // Character sets for express's body parsers, which get no bodies: src/http/json reads them.
  [/\/node_modules\/iconv-lite\/lib\/index\.js$/, 'exports.encodingExists = () => false;'],
  // Error messages in 50 languages.
  [/\/node_modules\/zod\/v4\/locales\/index\.js$/, "export { default as en } from './en.js';"],
  // A table of the characters of host names, for connection strings: Node.js has its own.
  [
    /\/node_modules\/tr46\/index\.js$/,
    `const { domainToASCII, domainToUnicode } = require('node:url');
    exports.toASCII = (domain) => domainToASCII(domain) || null;
    exports.toUnicode = (domain) => ({ domain: domainToUnicode(domain), error: false });`,
  ],
]);

/** @type {import('esbuild').Plugin} */
const withoutUnusedParts = {
  name: 'without-unused-parts',
  setup: (building) => {
    for (const [filter, contents] of UNUSED_PARTS)
      building.onLoad({ filter }, () => ({ contents, loader: 'js' }));
  },
};

/** A map that maps nothing: maps of packages would be most of what a stack trace has to read. */
const NO_MAP = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(
  JSON.stringify({ version: 3, sources: [''], mappings: 'AAAA' }),
).toString('base64')}`;

/** @type {import('esbuild').Plugin} */
const withoutMapsOfPackages = {
  name: 'without-maps-of-packages',
  setup: (building) => {
    building.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8') + NO_MAP,
      loader: 'default',
    }));
  },
};

/**
 * Removes programs and pages of earlier builds. Not at once: a gateway in progress may still import a
 * part, and browsers may still load a page.
 * Only a package, which is built with --clean, must not contain them.
 * @param {string} folder
 * @param {ReadonlySet<string>} written
 * @param {number} before
 */
const removeOldFiles = (folder, written, before) => {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.(js(\.map)?|css)(\.(br|gz))?$/.test(path) || written.has(path))
      continue;
    if (statSync(path).mtimeMs < before) rmSync(path);
  }
};

await main();
