import { generateKeyPairSync } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { loadConfig } from '../../../config/load-config.js';
import { describeReadError } from '../../../config/why-unreadable.js';
import { readOrCreatePrivateFile } from '../../private-file.js';
import {
  type AuditReport,
  createAuditChain,
  parsePrivateKey,
  publicKeyOf,
  verifyAudit,
} from '../audit-chain.js';
import type { CliContext } from '../cli-context.js';
import { CliError, codeOf, EXIT, SilentExit, usageError } from '../cli-error.js';
import { completeTenants } from '../complete-items.js';
import { completeBy } from '../completions.js';
import { addExamples, addHelpSection } from '../help.js';
import { createPaint } from '../paint.js';
import { parsePastTime, parseSlug } from '../parse-argument.js';
import { ADMIN_ONLY, describeAccess, openSession, styleOf } from '../session.js';

const KEY_FILE = 'audit-key';
const PAGE = 500;
const MAX_SHOWN = 20;

/** `rollgate audit export` and `rollgate audit verify` */
export const addAuditCommands = (program: Command, context: CliContext): void => {
  const audit = program
    .command('audit')
    .helpCommand(false)
    .summary('export the provisioning log, and verify exports')
    .description(
      'Exports of the provisioning log in which each line contains the hash of the one before, and ' +
        'whose end is signed: nobody can change, remove, insert or reorder a line unnoticed.',
    );
  addExport(audit, context);
  addVerify(audit, context);
};

interface ExportOptions {
  readonly since?: string;
  readonly until?: string;
  readonly out?: string;
  readonly key?: string;
}

const addExport = (audit: Command, context: CliContext): void => {
  const parse = (text: string): string => parsePastTime(text, context.now());
  const command = audit
    .command('export')
    .summary('export the provisioning log of a tenant, hash-chained and signed')
    .description(
      'Write the provisioning log as NDJSON, newest entry first, to standard output or a file. The ' +
        'key pair (Ed25519) that signs it is created at first use and stored in the data folder.',
    )
    .argument('<tenant>', "the tenant's slug", parseSlug)
    .option('--since <time>', 'only since this time; 7d means seven days ago', parse)
    .option('--until <time>', 'only before this time', parse)
    .option('-o, --out <file>', 'a new file (default: standard output)')
    .option('--key <file>', `private key (default: ${KEY_FILE} in the data folder)`)
    .action(async (tenant: string, { since, until, out, key: keyFile }: ExportOptions) => {
      const session = openSession(context, command, { access: ADMIN_ONLY, tenant });
      const key = parsePrivateKey(await readKey(context, keyFile));
      const path = out === undefined ? undefined : resolve(context.cwd, out);
      const file = path === undefined ? undefined : await createFile(path);
      const write = async (text: string): Promise<void> => {
        if (!file) context.stdout.write(text);
        else if (!file.write(text)) await once(file, 'drain');
      };
      const chain = createAuditChain();
      const range = { since: since ?? null, until: until ?? context.now().toISOString() };
      await write(chain.header({ tenant, exported_at: context.now().toISOString(), ...range }));
      await session.call(async (api) => {
        const query = { limit: PAGE, until: range.until, ...(since !== undefined && { since }) };
        const path = { slug: tenant };
        for await (const entry of api.list('/admin/v1/tenants/{slug}/commands', { path, query }))
          await write(chain.entry(entry));
      });
      await write(chain.head(key, context.now()));
      if (!file) return;
      file.end();
      await once(file, 'close');
      session.print({
        people: () => `Exported ${chain.count()} entries to ${out}.\n`,
        json: JSON.stringify({ file: path, entries: chain.count(), public_key: publicKeyOf(key) }),
        quiet: () => path ?? '',
      });
      session.note(
        `Public key: ${publicKeyOf(key)}\nKeep it elsewhere: "audit verify" needs it.\n`,
      );
    });
  completeBy(command.registeredArguments[0], completeTenants(context));
  addHelpSection(command, 'Credentials', describeAccess(ADMIN_ONLY));
  addExamples(command, [
    ['rollgate audit export acme --since 24h -o acme-2026-11-22.ndjson', 'the log of a day'],
  ]);
};

const createFile = async (path: string): Promise<WriteStream> => {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await once(file, 'open').catch((error: unknown) => {
    throw new CliError(EXIT.refused, `Cannot create ${path} (${codeOf(error)}).`);
  });
  return file;
};

const readKey = async (context: CliContext, given: string | undefined): Promise<string> => {
  const path = given === undefined ? defaultKeyPath(context) : resolve(context.cwd, given);
  const warn = (_fields: object, message: string): void => context.stderr.write(`${message}\n`);
  return readOrCreatePrivateFile(path, newKey, { warn });
};

const defaultKeyPath = ({ cwd, env }: CliContext): string =>
  resolve(cwd, join(loadConfig({ cwd, env }).config.dataDir, KEY_FILE));

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

const addVerify = (audit: Command, context: CliContext): void => {
  const command = audit
    .command('verify')
    .summary('find changed, removed, inserted and reordered lines of an export')
    .description(
      'Check every line of an export and the signature of its end. Exits with 1 if anything is ' +
        'wrong. Needs no gateway.',
    )
    .argument('<file>', 'the export')
    .option(
      '--public-key <key>',
      'the key that must have signed it (default: that of the data folder)',
    )
    .action(async (file: string, { publicKey }: { readonly publicKey?: string }) => {
      const path = resolve(context.cwd, file);
      const trusted = publicKey ?? (await ownPublicKey(context));
      const report = await verifyFile(path, trusted);
      print(report, { command, context, isTrusted: trusted !== undefined });
      if (report.problems.length > 0) throw new SilentExit(EXIT.refused);
    });
  addExamples(command, [
    ['rollgate audit verify acme-2026-11-22.ndjson', 'signed by the key of the data folder'],
    ['rollgate audit verify acme.ndjson --public-key MCowBQYDK2Vw…', 'on another machine'],
  ]);
};

const verifyFile = async (path: string, trusted: string | undefined): Promise<AuditReport> => {
  const input = createReadStream(path, 'utf8');
  try {
    await once(input, 'open');
  } catch (error) {
    return usageError(`${describeReadError(path, error)}.`);
  }
  return verifyAudit(createInterface({ input, crlfDelay: Infinity }), trusted);
};

/** Undefined if there is none: the export may be of another machine. */
const ownPublicKey = async (context: CliContext): Promise<string | undefined> => {
  const path = defaultKeyPath(context);
  if (!existsSync(path)) return undefined;
  return publicKeyOf(parsePrivateKey(await readFile(path, 'utf8')));
};

const print = (
  report: AuditReport,
  { command, context, isTrusted }: { command: Command; context: CliContext; isTrusted: boolean },
): void => {
  const { stdout, stderr } = context;
  const { entries, problems, signed_at: signedAt, public_key: publicKey } = report;
  const style = styleOf(command);
  if (style === 'json')
    stdout.write(
      `${JSON.stringify({ ok: problems.length === 0, is_trusted: isTrusted, ...report })}\n`,
    );
  if (style !== 'people') return;
  const { green, red } = createPaint(stdout.hasColours);
  for (const { line, problem } of problems.slice(0, MAX_SHOWN))
    stdout.write(`${red(line === null ? 'file' : `line ${line}`)}: ${problem}\n`);
  if (problems.length > MAX_SHOWN) stdout.write(`and ${problems.length - MAX_SHOWN} more\n`);
  if (problems.length > 0) return;
  stdout.write(`${green('Intact')}: ${entries} entries, signed at ${signedAt}.\n`);
  if (!isTrusted)
    stderr.write(
      `Warning: signed by ${publicKey}, which is not checked. Pass the key that you trust with ` +
        '--public-key.\n',
    );
};
