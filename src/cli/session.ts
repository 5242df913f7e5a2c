import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import type { Agent } from 'undici';
import type { z } from 'zod';
import {
  type ClientOptions,
  createRollgateClient,
  type RollgateClient,
  RollgateError,
} from '../client/index.js';
import { VERSION } from '../process/program.js';
import { CliError, usageError } from './cli-error.js';
import { describeReadError } from '../../config/config-error.js';
import { createDryRun } from './dry-run.js';
import { type Format, formatIn, GlobalOptions, render, type Views } from './output.js';
import {
  type GatewayAccess,
  type GatewayClient,
  type GatewayResponse,
  findOperatorAccess,
  findTenantAccess,
} from './gateway-access.js';
import type { Command } from 'commander';
import type { CliAccess } from '../start/load-extensions.js';
import type { CliContext } from './cli-context.js';
import type { HelpLines } from './help.js';
import { isLoopback } from '../../config/is-loopback.js';
import { createPaint, type Paint } from './terminal-text.js';

/** The client of the whole API, for commands that a description cannot express. */
const openClient = (
  access: Pick<GatewayAccess, 'url' | 'token' | 'caFile'>,
  options: Partial<ClientOptions> = {},
): RollgateClient =>
  createRollgateClient({
    baseUrl: access.url,
    token: access.token,
    headers: { 'user-agent': `rollgate-cli/${VERSION}` },
    // Fail at once: the operator decides whether to repeat it.
    retries: 0,
    ...(access.caFile !== undefined && { fetch: fetchTrusting(access.caFile) }),
    ...options,
  });

/** With the authorities of a PEM file beside the usual ones. */
const fetchTrusting = (caFile: string): typeof fetch => {
  let dispatcher: Agent | undefined;
  const ca = [...rootCertificates, readCa(caFile)];
  const send = async (url: string, init: object): Promise<unknown> => {
    // Imported here, so that other commands do not load it.
    const { default: undici } = await import('undici');
    dispatcher ??= new undici.Agent({ connect: { ca } });
    return undici.fetch(url, { ...init, dispatcher });
  };
  return send as unknown as typeof fetch;
};

const readCa = (caFile: string): string => {
  try {
    return readFileSync(caFile, 'utf8');
  } catch (error) {
    return usageError(`${describeReadError(caFile, error)}.`);
  }
};

const createGatewayClient = (
  { transport }: RollgateClient,
  access: GatewayAccess,
  api: string,
): GatewayClient => ({
  request: (method, path, parts) =>
    withCliErrors(access, () => transport.send(method, `${api}${path}`, parts)),
});

/** Rejects with a CliError where the client rejects with a RollgateError. */
const withCliErrors = async <Result>(
  access: GatewayAccess,
  call: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    throw error instanceof RollgateError ? cliErrorOf(error, access) : error;
  }
};

const urlHint = ({ urlSource }: Pick<GatewayAccess, 'urlSource'>): string =>
  urlSource === '--url'
    ? 'Check the address passed with --url.'
    : `The address comes from ${urlSource}; pass another with --url.`;

const cliErrorOf = (error: RollgateError, access: GatewayAccess): CliError => {
  switch (error.code) {
    case 'UNREACHABLE':
      return new CliError('UNREACHABLE', `Cannot reach the gateway at ${access.url}.`, [
        error.message.replace(`${access.url}: `, ''),
        'If it is not running, start it: rollgate serve',
        urlHint(access),
      ]);
    case 'UNEXPECTED_RESPONSE':
      return notRollgate(access, `status ${error.status}`);
    default:
      return refusal(error, access);
  }
};

const refusal = (error: RollgateError, access: GatewayAccess): CliError => {
  const { code, message, details, requestId, text } = error;
  const isUnauthenticated = error.status === 401;
  const hints = [
    ...(isUnauthenticated || code === 'INSUFFICIENT_SCOPE'
      ? [`The ${access.credential} comes from ${access.tokenSource}.`]
      : []),
    ...linesOf(details).filter((line) => !message.includes(line.replace(': ', ' '))),
    ...(code === 'TENANT_NOT_FOUND' ? ['List all tenants: rollgate tenant list'] : []),
    ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
  ];
  return new CliError('FAILED', `${code}: ${message}`, hints, text);
};

const linesOf = (details: RollgateError['details']): readonly string[] =>
  details.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));

const notRollgate = (access: GatewayAccess, what: string): CliError =>
  new CliError('UNEXPECTED_RESPONSE', `The server at ${access.url} is not a Rollgate gateway.`, [
    `It returned ${what}.`,
    urlHint(access),
  ]);

/** The fields of the response that are shown; others are ignored. */
const readResponse = <Output>(
  schema: z.ZodType<Output>,
  { text, status }: GatewayResponse,
  access: GatewayAccess,
): Output => {
  const result = schema.safeParse(parseJson(text));
  if (result.success) return result.data;
  throw unknownBody(access, { status });
};

export const unknownBody = (
  access: GatewayAccess,
  { status }: Pick<GatewayResponse, 'status'>,
): CliError => notRollgate(access, `status ${status} with an unknown body`);

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export type Access = CliAccess;

/** What a command accepts that states nothing else. */
export const ADMIN_ONLY: Access = { admin: true };

/** For the help of a command. */
export const describeAccess = ({ admin, scope }: Access = ADMIN_ONLY): HelpLines => [
  ...(admin
    ? ([['admin token', '--token, a profile, ROLLGATE_ADMIN_TOKEN or the data folder']] as const)
    : []),
  ...(scope
    ? ([
        [
          `${admin ? 'or ' : ''}API key`,
          `--api-key, a profile or ROLLGATE_API_KEY; scope ${scope}`,
        ],
      ] as const)
    : []),
];

/** What a command that calls a gateway works with. */
export interface Session {
  /** Calls the tenant's part of an API; without a tenant, the operators' API. */
  readonly client: GatewayClient;
  /** Calls the typed client of the whole API. */
  readonly call: <Result>(use: (api: RollgateClient) => Promise<Result>) => Promise<Result>;
  readonly access: GatewayAccess;
  /** Its slug. */
  readonly tenant: string | undefined;
  readonly context: CliContext;
  readonly format: Format;
  /** Styles for standard output. */
  readonly paint: Paint;
  /** Styles for standard error. */
  readonly notePaint: Paint;
  readonly read: <Output>(schema: z.ZodType<Output>, response: GatewayResponse) => Output;
  /** Prints a result to standard output. */
  readonly print: (views: Views) => void;
  /** Prints a note to standard error, unless the output is for programs. */
  readonly note: (text: string) => void;
  /** Whether writes only show what they would change. */
  readonly isDryRun: boolean;
  /** Runs the command; of a dry run, prints the result. */
  readonly run: (command: () => Promise<void>) => Promise<void>;
}

interface SessionTarget {
  /** Absent: the admin token only. */
  readonly access?: Access | undefined;
  /** Its slug; absent: the operators' API as a whole. */
  readonly tenant?: string;
  readonly isDryRun?: boolean;
}

/** Throws a CliError if no accepted credential is found. */
export const openSession = (
  context: CliContext,
  command: Command,
  target: SessionTarget = {},
): Session => openSessionWith(context, globalOptionsOf(command), target);

export const globalOptionsOf = (command: Command): GlobalOptions =>
  GlobalOptions.parse(command.optsWithGlobals());

/** For a command line that is not complete. */
export const openSessionWith = (
  context: CliContext,
  options: GlobalOptions,
  { access: accepted = ADMIN_ONLY, tenant, isDryRun = false }: SessionTarget = {},
  clientOptions: Partial<ClientOptions> = {},
): Session => {
  const key = accepted.scope === undefined ? undefined : findTenantAccess(options, context);
  if (key === undefined && !accepted.admin) throw noKey(tenant, accepted);
  const access = key ?? operatorAccess(options, context, accepted);
  const operators = tenant === undefined ? '/admin/v1' : `/admin/v1/tenants/${tenant}`;
  const format = formatIn(options);
  const note = (text: string): void => {
    if (format === 'table') context.stderr.write(text);
  };
  warnOfPlainHttp(access, note);
  const api = openClient(access, clientOptions);
  const client = createGatewayClient(api, access, key ? `/v1/${tenant}` : operators);
  const dryRun = isDryRun ? createDryRun(client) : undefined;
  const session: Session = {
    client: dryRun?.client ?? client,
    call: (use) => withCliErrors(access, () => use(api)),
    access,
    tenant,
    context,
    format,
    paint: createPaint(context.stdout.hasColours, tableWidth(context.stdout, options)),
    notePaint: createPaint(context.stderr.hasColours),
    read: (schema, response) => readResponse(schema, response, access),
    // The results of a dry run are placeholders.
    print: (views) => (isDryRun ? undefined : context.stdout.write(render(format, views))),
    note: isDryRun ? () => undefined : note,
    isDryRun,
    run: (command) => (dryRun ? dryRun.run(session, command) : command()),
  };
  return session;
};

/** That of the terminal; programs that read a pipe get every column. */
const tableWidth = (
  { isTerminal, width }: CliContext['stdout'],
  { output }: GlobalOptions,
): number => (isTerminal === true && output !== 'wide' ? width : Infinity);

/** Also names the other credential that would be accepted. */
const operatorAccess = (
  options: GlobalOptions,
  context: CliContext,
  { scope }: Access,
): GatewayAccess => {
  try {
    return findOperatorAccess(options, context);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'NO_CREDENTIAL') throw error;
    if (scope === undefined) throw error;
    throw new CliError(error.code, error.message, [
      ...error.hints,
      `Or set ROLLGATE_API_KEY to an API key with the scope ${scope}.`,
    ]);
  }
};

const noKey = (tenant = '<tenant>', { scope = 'usage' }: Access): CliError =>
  new CliError('NO_CREDENTIAL', 'No API key.', [
    'Set ROLLGATE_API_KEY or pass --api-key. The admin token is not accepted here.',
    `Create a key: rollgate key create ${tenant} --scope ${scope}`,
  ]);

const warnOfPlainHttp = ({ url, credential }: GatewayAccess, note: Session['note']): void => {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(url)) return;
  note(`Warning: sending the ${credential} to ${hostname} unencrypted. Use https.\n`);
};
