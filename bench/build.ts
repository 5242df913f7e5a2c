import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Beside node_modules' packages, so that what is compiled there finds them. */
const OUTPUT = join(ROOT, 'node_modules/.cache/rollgate-bench');

/** The compiled form of a script in bench/. */
export const childScript = (path: string): string => join(OUTPUT, 'bench', path);

const compile = async (project: string): Promise<void> => {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', join(ROOT, project)]);
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    throw new Error(`${project} does not compile:\n${stdout.slice(0, 2_000)}`, { cause: error });
  }
};

/** The peers and the load, as plain JavaScript like the gateway. */
export const buildChildren = async (): Promise<void> => {
  await mkdir(OUTPUT, { recursive: true });
  // Below node_modules the repository's own "type" does not count.
  await writeFile(join(OUTPUT, 'package.json'), '{"type":"module"}\n');
  await compile('bench/tsconfig.children.json');
};

/** As `npm run build`. */
export const buildGateway = (): Promise<void> => compile('tsconfig.build.json');

/** How users start the gateway: what follows `node` in `npm start`, from any folder. */
export const gatewayArguments = async (): Promise<readonly string[]> => {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly start: string };
  };
  const words = manifest.scripts.start.split(' ').slice(1);
  return words.map((word) => (word.startsWith('-') ? word : join(ROOT, word)));
};
