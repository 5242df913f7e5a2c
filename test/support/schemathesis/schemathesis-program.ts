import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openProgramCache, reasonOf } from '../program-cache.js';

const run = promisify(execFile);
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/**
 * The path of schemathesis, in a virtual environment in the cache of this user, with exactly the
 * packages of requirements.txt. Undefined, with a line on stderr, where Python or PyPI is missing.
 */
export const openSchemathesis = async (): Promise<string | undefined> => {
  try {
    return await install();
  } catch (error) {
    process.stderr.write(`Skipped: cannot install schemathesis from PyPI: ${reasonOf(error)}\n`);
    return undefined;
  }
};

const install = async (): Promise<string> => {
  const hash = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex');
  const folder = join(await openProgramCache(), `schemathesis-${hash.slice(0, 12)}`);
  const ready = join(folder, 'ready');
  const program = join(folder, 'bin/schemathesis');
  if (existsSync(ready)) return program;
  // A virtual environment cannot be moved, so an interrupted installation is repeated in place.
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  const words = ['install', '--quiet', '--no-input', '--no-deps', '--only-binary', ':all:'];
  await run(join(folder, 'bin/pip'), [...words, '-r', REQUIREMENTS], { timeout: 300_000 });
  await run('cp', [REQUIREMENTS, `${ready}.draft`]);
  await rename(`${ready}.draft`, ready);
  return program;
};
