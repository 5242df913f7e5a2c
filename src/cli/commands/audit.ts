import { generateKeyPairSync } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { z } from 'zod';
import { loadConfig } from '../../../config/load-config.js';
import { describeReadError } from '../../../config/config-error.js';
import { readOrCreatePrivateFile } from '../../secrets/private-file.js';
import {
  type AuditReport,
  createAuditChain,
  parsePrivateKey,
  publicKeyOf,
  verifyAudit,
} from '../audit-chain.js';
import { addCommand, type CommandForm } from '../add-command.js';
import type { CliContext } from '../cli-context.js';
import { CliError, codeOf, SilentExit, usageError } from '../cli-error.js';
import { addExamples } from '../help.js';
import { createPaint } from '../terminal-text.js';
import { formatOf, printResult } from '../output.js';

const KEY_FILE = 'audit-key';
const PAGE = 500;

/** `rollgate audit export` and `rollgate audit verify` */
export const addAuditCommands = (program: Command, context: CliContext): void => {
  const audit = program
    .command('audit')
    .helpCommand(false)
    .summary('export the provisioning log, and verify exports')
    .description(
      'Exports of the provisioning log in which each line contains the hash of the one before, and ' +
        'whose end is signed: no line can be changed, removed, inserted or reordered unnoticed.',
    );
  addExport(audit, context);
  addVerify(audit, context);
};

interface ExportOptions {
  readonly since?: string;
  readonly after?: string;
  readonly until?: string;
  readonly out?: string;
  readonly key?: string;
}

const EXPORT: CommandForm = {
  name: 'export',
  summary: 'export the provisioning log of a tenant, hash-chained and signed',
  description:
    'Write the provisioning log as NDJSON, newest entry first, to standard output or a file. The ' +
    'key pair (Ed25519) that signs it is created at first use and stored in the data folder. ' +
    'With --after, the export continues an earlier one: it contains the entries that the ' +
    'earlier one lacks, and its hash.',
  options: [
    {
      flags: '--since <time>',
      help: 'only since this time: 7d means seven days ago; also 2027-01-31 or 2027-01-31T08:00Z',
      type: 'past-time',
    },
    { flags: '--until <time>', help: 'only before this time', type: 'past-time' },
    { flags: '--after <file>', help: 'the export that this one continues' },
    { flags: '--out <file>', help: 'a new file (default: standard output)' },
    {
      flags: '--key <file>',
      help: `private key (default: ${KEY_FILE} in the data folder)`,
    },
  ],
  examples: [
    ['rollgate audit export acme --out acme-1.ndjson', 'the whole log'],
    ['rollgate audit export acme --after acme-1.ndjson --out acme-2.ndjson', 'what is new since'],
  ],
};

const addExport = (audit: Command, context: CliContext): void => {
  addCommand(audit, context, EXPORT, async ({ session, fields }) => {
    const { since, until, after, out, key: keyFile }: ExportOptions = fields;
    const { tenant = '' } = session;
    if (after !== undefined && since !== undefined)
      usageError(
        'Pass either --since or --after.',
        'Run "rollgate audit export --help" for usage.',
      );
    const key = parsePrivateKey(await readKey(context, keyFile));
    const earlier =
      after === undefined
        ? undefined
        : await readEarlier(resolve(context.cwd, after), tenant, publicKeyOf(key));
    const path = out === undefined ? undefined : resolve(context.cwd, out);
    const file = path === undefined ? undefined : await createFile(path);
    const write = async (text: string): Promise<void> => {
      if (!file) context.stdout.write(text);
      else if (!file.write(text)) await once(file, 'drain');
    };
    const chain = createAuditChain(earlier?.hash);
    const from = earlier?.until ?? since ?? null;
    const range = { since: from, until: until ?? context.now().toISOString() };
    await write(chain.header({ tenant, exported_at: context.now().toISOString(), ...range }));
    await session.call(async (api) => {
      const begin = earlier ? beforeBy(earlier.until, LATE_MS) : from;
      // Without the option, there is no end: this clock may be behind the database's.
      const query = {
        limit: PAGE,
        ...(begin !== null && { since: begin }),
        ...(until !== undefined && { until }),
      };
      const path = { slug: tenant };
      for await (const entry of api.list('/admin/v1/tenants/{slug}/commands', { path, query }))
        if (!earlier?.recent.has(entry.id)) await write(chain.entry(entry));
    });
    await write(chain.head(key, context.now()));
    if (!file) return;
    file.end();
    await once(file, 'close');
    session.print({
      people: () => `Exported ${describeCount(chain.count())} to ${out}.\n`,
      json: JSON.stringify({ file: path, entries: chain.count(), public_key: publicKeyOf(key) }),
      quiet: () => path ?? '',
    });
    session.note(`Public key: ${publicKeyOf(key)}\nKeep it elsewhere: "audit verify" needs it.\n`);
  });
};

/** An entry may be written this long after its time, and then be missing from an export. */
const LATE_MS = 10 * 60_000;

const beforeBy = (time: string, ms: number): string =>
  new Date(Date.parse(time) - ms).toISOString();

const Header = z.object({
  kind: z.literal('header'),
  tenant: z.string(),
  exported_at: z.iso.datetime(),
  until: z.iso.datetime(),
});
const Entry = z.object({ entry: z.object({ id: z.string(), at: z.iso.datetime() }) });

interface Earlier {
  /** Of its head. */
  readonly hash: string;
  /** It has the entries before this time. */
  readonly until: string;
  /** Its entries of the time in which others may have been written late. */
  readonly recent: ReadonlySet<string>;
}

const readEarlier = async (path: string, tenant: string, trustedKey: string): Promise<Earlier> => {
  let header: z.output<typeof Header> | undefined;
  let until = '';
  const recent = new Set<string>();
  const onLine = (fields: Readonly<Record<string, unknown>>): void => {
    const entry = Entry.safeParse(fields).data?.entry;
    if (entry && header && entry.at >= beforeBy(until, LATE_MS)) recent.add(entry.id);
    header ??= Header.safeParse(fields).data;
    // An export may name a time that was yet to come.
    if (header) until = header.until < header.exported_at ? header.until : header.exported_at;
  };
  const { hash, problem } = await verifyFile(path, { trustedKey, onLine });
  if (hash === null || header === undefined || problem !== null)
    throw new CliError('FAILED', `${path} is not an intact export signed by this key.`, [
      `See what is wrong: rollgate audit verify ${path}`,
    ]);
  if (header.tenant !== tenant) usageError(`${path} is an export of ${header.tenant}.`);
  return { hash, until, recent };
};

const createFile = async (path: string): Promise<WriteStream> => {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await once(file, 'open').catch((error: unknown) => {
    throw new CliError('FAILED', `Cannot create ${path} (${codeOf(error)}).`);
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

interface VerifyOptions {
  readonly publicKey?: string;
  readonly after?: string;
}

const addVerify = (audit: Command, context: CliContext): void => {
  const command = audit
    .command('verify')
    .summary('find out whether an export was changed')
    .description(
      'Check every line of an export and the signature of its end, up to the first that is wrong; ' +
        'with --after, also that it continues an earlier export, which is checked first. Exits ' +
        'with 1 if anything is wrong. Needs no gateway.',
    )
    .argument('<file>', 'the export')
    .option(
      '--public-key <key>',
      'the key that must have signed it (default: that of the data folder)',
    )
    .option('--after <file>', 'the export that this one must continue')
    .action(async (file: string, { publicKey, after }: VerifyOptions) => {
      const trustedKey = publicKey ?? (await ownPublicKey(context));
      let checked: AuditReport | undefined;
      for (const path of after === undefined ? [file] : [after, file]) {
        const report = await verifyFile(resolve(context.cwd, path), { trustedKey, after: checked });
        if (report.problem || path === file)
          print(report, {
            command,
            context,
            file: path,
            isTrusted: trustedKey !== undefined,
            isContinuationChecked: checked !== undefined,
          });
        if (report.problem) throw new SilentExit();
        checked = report;
      }
    });
  addExamples(command, [
    ['rollgate audit verify acme-2026-11-22.ndjson', 'signed by the key of the data folder'],
    ['rollgate audit verify acme-2.ndjson --after acme-1.ndjson', 'continues another export'],
    ['rollgate audit verify acme.ndjson --public-key MCowBQYDK2Vw…', 'on another machine'],
  ]);
};

const verifyFile = async (
  path: string,
  expected: Parameters<typeof verifyAudit>[1],
): Promise<AuditReport> => {
  const input = createReadStream(path, 'utf8');
  try {
    await once(input, 'open');
  } catch (error) {
    return usageError(`${describeReadError(path, error)}.`);
  }
  return verifyAudit(createInterface({ input, crlfDelay: Infinity }), expected);
};

/** Undefined if there is none: the export may be of another machine. */
const ownPublicKey = async (context: CliContext): Promise<string | undefined> => {
  const path = defaultKeyPath(context);
  if (!existsSync(path)) return undefined;
  return publicKeyOf(parsePrivateKey(await readFile(path, 'utf8')));
};

const describeCount = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;

/** Prints the first problem, or that there is none; on stderr, what was not checked. */
const print = (
  { problem, ...report }: AuditReport,
  {
    command,
    context,
    file,
    isTrusted,
    isContinuationChecked,
  }: {
    readonly command: Command;
    readonly context: CliContext;
    readonly file: string;
    readonly isTrusted: boolean;
    readonly isContinuationChecked: boolean;
  },
): void => {
  const { stdout, stderr } = context;
  const { green, red } = createPaint(stdout.hasColours);
  const problems = problem === null ? [] : [problem];
  printResult(command, context, {
    people: () =>
      problem === null
        ? `${green('Intact')}: ${describeCount(report.entries)}, signed at ${report.signed_at}.\n`
        : `${red(problem.line === null ? file : `${file}, line ${problem.line}`)}: ${problem.problem}\n`,
    json: JSON.stringify({ ok: problem === null, is_trusted: isTrusted, ...report, problems }),
  });
  if (formatOf(command) !== 'table' || problem !== null) return;
  if (report.continues !== null && !isContinuationChecked)
    stderr.write('It continues an earlier export, which is not checked. Pass that with --after.\n');
  if (!isTrusted)
    stderr.write(
      `Warning: signed by ${report.public_key}, which is not checked. Pass the key that you trust ` +
        'with --public-key.\n',
    );
};
