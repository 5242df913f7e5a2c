import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../shared/cleanup.js';
import { builtMain, type GatewayProcess, startGatewayProcess } from '../shared/gateway-process.js';
import { blocksOf, isAsShown, type ShownCommand } from './shown-commands.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The address of a gateway in the pages. */
const SHOWN_URL = 'http://127.0.0.1:8080';

/** What a command of a page has done. */
export interface RunCommand extends ShownCommand {
  readonly page: string;
  readonly printed: string;
  readonly exitCode: number;
  readonly isAsShown: boolean;
}

/** Pages whose commands are run one after the other, in one shell. */
export const TOUR = ['README.md', 'docs/tour.md'];
export const GUIDES = ['README', 'jumpcloud', 'okta', 'scim'].map(
  (name) => `docs/guides/${name}.md`,
);

/** What the guides take from earlier steps of their readers. */
export const BEFORE_GUIDES = `
rollgate tenant create acme --name "Acme Rescue" -q
KEY_JSON=$(rollgate key create acme --preset idp --json)
field() { grep -oE "\\"$1\\": ?\\"[^\\"]+" | cut -d'"' -f4; }
KEY=$(field key <<<"$KEY_JSON"); KEY_ID=$(field id <<<"$KEY_JSON")
SCIM=${SHOWN_URL}/v1/acme/scim/v2
rollgate room create acme Dispatch -q
# $ID is the user that was read last.
curl() {
  local response=$(command curl "$@")
  echo "$response"
  [[ "$*" != *"/Users -H"* ]] || ID=$(field id <<<"$response")
}
`;

/** Runs the commands in a new folder, in which the gateway runs and `bin` is that of the clone. */
export const runPages = async (
  pages: readonly string[],
  { mongodbUri, folder, before }: { mongodbUri: string; folder: string; before?: string },
  cleanup: Cleanup,
): Promise<readonly RunCommand[]> => {
  await mkdir(join(folder, 'config'));
  await symlink(join(ROOT, 'bin'), join(folder, 'bin'));
  const main = await builtMain('');
  const start = async (port: string): Promise<GatewayProcess> => {
    const settings = { ROLLGATE_MONGODB_URI: mongodbUri, ROLLGATE_PORT: port };
    const gateway = await startGatewayProcess(settings, { main, cwd: folder });
    cleanup.defer(gateway.stop);
    return gateway;
  };
  let gateway = await start('0');
  const { port, origin } = new URL(gateway.url);
  const shell = openShell(folder, port);
  cleanup.defer(shell.close);
  await shell.run(withAddress(`export PATH="$PWD/bin:$PATH"\n${before ?? ''}`, origin));
  const done: RunCommand[] = [];
  for (const page of pages)
    for (const block of blocksOf(await readFile(join(ROOT, page), 'utf8'))) {
      if (block.notRun !== undefined) continue;
      if (block.isRestarted) {
        await gateway.stop();
        gateway = await start(port);
      }
      for (const shown of block.commands) {
        const { printed: all, exitCode } = await shell.run(withAddress(shown.command, origin));
        const printed = all.replaceAll(origin, SHOWN_URL);
        const matches = shown.output === undefined || isAsShown(shown.output, printed);
        done.push({ ...shown, page, printed, exitCode, isAsShown: matches });
      }
    }
  return done;
};

const withAddress = (command: string, origin: string): string =>
  command.replaceAll(SHOWN_URL, origin).replaceAll('https://<your gateway>', origin);

/** A bash whose variables and functions stay from one command to the next. */
const openShell = (cwd: string, port: string) => {
  const env = { ...process.env, ROLLGATE_PORT: port, NO_COLOR: '1' };
  const bash = spawn('bash', ['--noprofile', '--norc'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: bash.stdout })[Symbol.asyncIterator]();
  const output = join(cwd, 'printed');
  return {
    /** Runs it; resolves with what it has printed. */
    run: async (command: string): Promise<{ printed: string; exitCode: number }> => {
      bash.stdin.write(`{\n${command}\n} >${output} 2>&1 </dev/null; echo $?\n`);
      const { value } = (await lines.next()) as { readonly value?: string };
      if (value === undefined) throw new Error(`The shell ended in: ${command}`);
      return { printed: await readFile(output, 'utf8'), exitCode: Number(value) };
    },
    close: () => bash.stdin.end(),
  };
};
