import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Inside node_modules, so that the compiled files resolve its packages. */
const OUTPUT = join(ROOT, 'node_modules/.cache/rollgate-bench');

/** The compiled file of a script in tools/bench/. */
export const childScript = (path: string): string => join(OUTPUT, 'tools/bench', path);

const run = async (script: string, ...args: readonly string[]): Promise<void> => {
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const output = `${stdout}${stderr}`.slice(0, 2_000);
    throw new Error(`${[script, ...args].join(' ')} failed:\n${output}`, { cause: error });
  }
};

/** Compiles the peers and the load generator, since the gateway runs compiled as well. */
export const buildChildren = async (): Promise<void> => {
  await mkdir(OUTPUT, { recursive: true });
  // The "type" of the repository's package.json does not apply inside node_modules.
  await writeFile(join(OUTPUT, 'package.json'), '{"type":"module"}\n');
  await run('node_modules/typescript/bin/tsc', '-p', 'tools/bench/tsconfig.children.json');
};

/** Like `npm run build`. */
export const buildGateway = (): Promise<void> => run('tools/build.js');

/** The arguments of `node` in `npm start`, with absolute paths. */
export const gatewayArguments = async (): Promise<readonly string[]> => {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  const words = manifest.scripts.start.split(' ').slice(1);
  return words.map((word) => (word.startsWith('-') ? word : join(ROOT, word)));
};
