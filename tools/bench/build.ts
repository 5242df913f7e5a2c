import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Inside node_modules, so that the compiled files resolve its packages. */
const OUTPUT = join(ROOT, 'node_modules/.cache/rollgate-bench');

/** The compiled file of a script in tools/bench/. */
export const childScript = (path: string): string => join(OUTPUT, 'tools/bench', path);

const COMPILE = ['node_modules/typescript/bin/tsc', '-p', 'tools/bench/tsconfig.children.json'];

/** Compiles the peers and the load generator, since the gateway runs compiled as well. */
export const buildChildren = async (): Promise<void> => {
  await mkdir(OUTPUT, { recursive: true });
  // The "type" of the repository's package.json does not apply inside node_modules.
  await writeFile(join(OUTPUT, 'package.json'), '{"type":"module"}\n');
  await promisify(execFile)(process.execPath, COMPILE, { cwd: ROOT }).catch((error: unknown) => {
    const { stdout = '' } = error as { stdout?: string };
    throw new Error(`Cannot compile the peers:\n${stdout.slice(0, 2_000)}`, { cause: error });
  });
};
