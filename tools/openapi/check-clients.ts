import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientIn } from './clients-in-docs.js';

/**
 * Checks openapi.json with two linters, and with OpenAPI Generator and the programs in
 * docs/clients.md and docs/webhooks.md. `npm run build` has to come first. The tools are pinned here since they are too large for development dependencies.
 * Needs npm, Java 11 or newer and Maven.
 */
const REDOCLY = '@redocly/cli@2.77.0';
const SPECTRAL = '@stoplight/spectral-cli@6.16.3';
const GENERATOR = '7.17.0';

const DOCUMENT = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const TYPE_ROOTS = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'rollgate-clients-'));
const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const step = (title: string, work: () => void): boolean => {
  process.stdout.write(`${title} … `);
  try {
    work();
    console.log('passed');
    return true;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    console.log(`failed\n${stdout}${stderr || String(error)}`);
    return false;
  }
};

const lintWithRedocly = (): void => {
  run('npx', ['--yes', '--ignore-scripts', REDOCLY, 'lint', DOCUMENT]);
};

const lintWithSpectral = (): void => {
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
  run('npx', ['--yes', '--ignore-scripts', SPECTRAL, 'lint', '--fail-severity=warn', DOCUMENT]);
};

/** Has Maven fetch the generator; returns the path of its archive. */
const fetchGenerator = (): string => {
  const artifact = `org.openapitools:openapi-generator-cli:${GENERATOR}`;
  run('mvn', ['-q', 'dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false']);
  const directory = join(
    homedir(),
    `.m2/repository/org/openapitools/openapi-generator-cli/${GENERATOR}`,
  );
  const archive = readdirSync(directory).find((name) => name.endsWith('.jar'));
  if (archive === undefined) throw new Error(`Maven left no archive in ${directory}.`);
  return join(directory, archive);
};

const compileGeneratedClient = (): void => {
  const client = join(folder, 'rollgate');
  const generate = ['generate', '-g', 'typescript-fetch', '-i', DOCUMENT, '-o', client];
  run('java', ['-jar', fetchGenerator(), ...generate]);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(folder, 'client.ts'), clientIn('openapi-generator'));
  const options = '--strict --noEmit --target es2022 --lib es2022,dom --module esnext'.split(' ');
  const resolution = [
    '--moduleResolution',
    'bundler',
    '--typeRoots',
    TYPE_ROOTS,
    '--types',
    'node',
  ];
  run(process.execPath, [COMPILER, ...options, ...resolution, 'client.ts']);
};

/** With the declarations that `npm run build` writes, as an installed package has them. */
const compileOwnClient = (): void => {
  const packages = join(folder, 'node_modules');
  mkdirSync(packages, { recursive: true });
  symlinkSync(ROOT, join(packages, 'rollgate'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
  const files = ['rollgate-client', 'webhook-receiver'] as const;
  for (const name of files) writeFileSync(join(folder, `${name}.ts`), clientIn(name));
  const options = '--strict --noEmit --target es2022 --lib es2023 --module nodenext'.split(' ');
  const types = ['--typeRoots', TYPE_ROOTS, '--types', 'node'];
  run(process.execPath, [COMPILER, ...options, ...types, ...files.map((name) => `${name}.ts`)]);
};

const results = [
  step(`${REDOCLY} reports no error`, lintWithRedocly),
  step(`${SPECTRAL} reports no warning`, lintWithSpectral),
  step('rollgate/client compiles with the built declarations', compileOwnClient),
  step(`openapi-generator ${GENERATOR} typescript-fetch compiles`, compileGeneratedClient),
];
rmSync(folder, { recursive: true, force: true });
process.exitCode = results.every(Boolean) ? 0 : 1;
