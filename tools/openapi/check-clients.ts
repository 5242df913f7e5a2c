import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Cleanup, runWithCleanup, temporaryFolder } from '../shared/cleanup.js';
import { openContext } from '../shared/faults/context.js';
import { startDatabase } from '../shared/start-database.js';
import { clientIn, type DocumentedClient } from './clients-in-docs.js';

/**
 * Before a release: generates clients from openapi.json, and compiles and runs
 * their programs in docs/clients.md against a gateway. The tools are pinned here since they are too
 * large for development dependencies; what needs none of them is in test/house/openapi-clients.
 */
const GENERATOR = '7.25.0';
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

const DOCUMENT = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

interface Target {
  readonly url: string;
  readonly key: string;
}

/** What a step has: a folder of its own, the gateway, and commands that fail with their output. */
interface Place extends Target {
  readonly folder: string;
  readonly run: (command: string, args: readonly string[]) => void;
  /** The program of the docs, for this gateway and a user of its own. */
  readonly program: (name: DocumentedClient) => string;
}

interface Step {
  readonly title: string;
  /** Commands that the machine must have. */
  readonly needs: readonly string[];
  readonly work: (place: Place) => void;
}

const TSC = [join(PACKAGES, 'typescript/bin/tsc'), '--strict', '--noEmit'];
const TYPES = ['--typeRoots', join(PACKAGES, '@types'), '--types', 'node'];
const TSX = pathToFileURL(join(PACKAGES, 'tsx/dist/loader.mjs')).href;

const compile = ({ run }: Place, file: string): void => {
  const options = ['--target', 'es2022', '--lib', 'es2023,dom,dom.asynciterable'];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  run(process.execPath, [...TSC, ...options, ...modules, ...TYPES, file]);
};

/** The generator's archive, which Maven fetches. */
const fetchGenerator = ({ run }: Place): string => {
  const artifact = `org.openapitools:openapi-generator-cli:${GENERATOR}`;
  run('mvn', ['-q', 'dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false']);
  const path = `.m2/repository/org/openapitools/openapi-generator-cli/${GENERATOR}`;
  const directory = join(homedir(), path);
  const archive = readdirSync(directory).find((name) => name.endsWith('.jar'));
  if (archive === undefined) throw new Error(`Maven left no archive in ${directory}.`);
  return join(directory, archive);
};

const generate = (place: Place, generator: readonly string[]): string => {
  const output = join(place.folder, 'rollgate');
  const words = ['generate', '-g', ...generator, '-i', DOCUMENT, '-o', output];
  place.run('java', ['-jar', fetchGenerator(place), ...words]);
  return output;
};

const checkTypeScriptFetch = (place: Place): void => {
  generate(place, ['typescript-fetch']);
  writeFileSync(join(place.folder, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(place.folder, 'client.ts'), place.program('openapi-generator'));
  compile(place, 'client.ts');
  place.run(process.execPath, ['--import', TSX, 'client.ts']);
};

const runGo = ({ folder, run, program }: Place, name: DocumentedClient): void => {
  writeFileSync(join(folder, 'go.mod'), 'module example\n\ngo 1.23\n');
  writeFileSync(join(folder, 'main.go'), program(name));
  run('go', ['mod', 'tidy']);
  run('go', ['run', '.']);
};

const checkGoGenerator = (place: Place): void => {
  const properties = '--additional-properties=packageName=rollgate,withGoMod=false';
  generate(place, ['go', properties, '--global-property=apiTests=false,modelTests=false']);
  runGo(place, 'go-generator');
};

const checkOapiCodegen = (place: Place): void => {
  mkdirSync(join(place.folder, 'rollgate'));
  const output = ['-o', join(place.folder, 'rollgate/rollgate.go')];
  const options = ['-generate', 'types,client', '-package', 'rollgate'];
  place.run('go', ['run', OAPI_CODEGEN, ...options, ...output, DOCUMENT]);
  runGo(place, 'go-oapi-codegen');
};

const checkJava = (place: Place): void => {
  const client = generate(place, ['java', '--library', 'native']);
  writeFileSync(join(client, 'src/main/java/Main.java'), place.program('java-generator'));
  const start = ['org.codehaus.mojo:exec-maven-plugin:3.5.0:java', '-Dexec.mainClass=Main'];
  place.run('mvn', ['-q', '-f', join(client, 'pom.xml'), 'compile', ...start]);
};

const checkPython = (place: Place): void => {
  const { folder, run, program } = place;
  const client = generate(place, ['python', '--additional-properties=packageName=rollgate']);
  const python = join(folder, 'venv/bin/python');
  run('python3', ['-m', 'venv', join(folder, 'venv')]);
  run(python, ['-m', 'pip', 'install', '--quiet', client]);
  writeFileSync(join(folder, 'client.py'), program('python-generator'));
  run(python, ['client.py']);
};

const STEPS: readonly Step[] = [
  {
    title: `openapi-generator ${GENERATOR} typescript-fetch`,
    needs: ['java', 'mvn'],
    work: checkTypeScriptFetch,
  },
  {
    title: `openapi-generator ${GENERATOR} go`,
    needs: ['java', 'mvn', 'go'],
    work: checkGoGenerator,
  },
  { title: 'oapi-codegen', needs: ['go'], work: checkOapiCodegen },
  {
    title: `openapi-generator ${GENERATOR} java`,
    needs: ['java', 'mvn'],
    work: checkJava,
  },
  {
    title: `openapi-generator ${GENERATOR} python`,
    needs: ['java', 'mvn', 'python3'],
    work: checkPython,
  },
];

/** Whether it can be started, whatever it then says. */
const isInstalled = (command: string): boolean => !spawnSync(command, ['--version']).error;

const tryStep = ({ title, needs, work }: Step, place: Place): boolean => {
  const missing = needs.filter((command) => !isInstalled(command));
  if (missing.length > 0) {
    console.log(`${title} … skipped: this machine has no ${missing.join(' and no ')}`);
    return true;
  }
  process.stdout.write(`${title} … `);
  try {
    work(place);
    console.log('passed');
    return true;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    console.log(`failed\n${stdout}${stderr || String(error)}`);
    return false;
  }
};

const startTarget = async (cleanup: Cleanup): Promise<Target> => {
  const context = await openContext((await startDatabase(cleanup)).uri, cleanup);
  const { url } = await context.startGateway();
  const { key } = await context.createTenant(url, 'acme');
  return { url, key };
};

const placeOf = (target: Target, folder: string, index: number): Place => ({
  ...target,
  folder,
  run: (command, args) =>
    void execFileSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, ROLLGATE_KEY: target.key },
    }),
  program: (name) =>
    clientIn(name)
      .replaceAll('http://127.0.0.1:8080', target.url)
      .replaceAll('ada@example.com', `ada${index}@example.com`),
});

const main = async (cleanup: Cleanup): Promise<number> => {
  const target = await startTarget(cleanup);
  let failures = 0;
  for (const [index, step] of STEPS.entries()) {
    const folder = await temporaryFolder(`clients-${index}`, cleanup);
    failures += tryStep(step, placeOf(target, folder, index)) ? 0 : 1;
  }
  return failures === 0 ? 0 : 1;
};

process.exitCode = await runWithCleanup((line) => console.log(line), main);
