import type { Command } from 'commander';
import { z } from 'zod';
import type { CliAccess } from '../start/load-extensions.js';
import type { CliContext } from './cli-context.js';
import { CliError, EXIT } from './cli-error.js';
import { findOperatorAccess, findTenantAccess, type GatewayAccess } from './gateway-access.js';
import type { ClientOptions, RollgateClient } from '../client/index.js';
import {
  createGatewayClient,
  type GatewayClient,
  type GatewayResponse,
  openClient,
  readResponse,
  withCliErrors,
} from './gateway-client.js';
import type { HelpLines } from './help.js';
import { isLoopback } from '../../config/is-loopback.js';
import { createPaint, type Paint } from './paint.js';

const GlobalOptions = z.object({
  url: z.string().optional(),
  token: z.string().optional(),
  apiKey: z.string().optional(),
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
});

type GlobalOptions = z.output<typeof GlobalOptions>;

/** How results are printed: for people, as the API's JSON, or as ids only. */
export type OutputStyle = 'people' | 'json' | 'quiet';

export type Access = CliAccess;

export const ADMIN_ONLY: Access = { admin: true };

/** For the help of a command. */
export const describeAccess = ({ admin, scope }: Access): HelpLines => [
  ...(admin
    ? ([['admin token', '--token, ROLLGATE_ADMIN_TOKEN or the data folder']] as const)
    : []),
  ...(scope
    ? ([[`${admin ? 'or ' : ''}API key`, `--api-key or ROLLGATE_API_KEY, scope ${scope}`]] as const)
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
  readonly style: OutputStyle;
  /** Styles for standard output. */
  readonly paint: Paint;
  /** Styles for standard error. */
  readonly notePaint: Paint;
  readonly read: <Output>(schema: z.ZodType<Output>, response: GatewayResponse) => Output;
  /** Prints a result to standard output. */
  readonly print: (views: Views) => void;
  /** Prints a note to standard error, unless --json or --quiet is given. */
  readonly note: (text: string) => void;
}

/** A result in each style. */
export interface Views {
  readonly people: () => string;
  /** The API's response body; absent: nothing is printed. */
  readonly json?: string;
  /** Absent: nothing is printed. */
  readonly quiet?: () => string;
}

export const styleOf = (command: Command): OutputStyle =>
  styleIn(GlobalOptions.parse(command.optsWithGlobals()));

const styleIn = ({ json, quiet }: GlobalOptions): OutputStyle =>
  json ? 'json' : quiet ? 'quiet' : 'people';

export interface SessionTarget {
  readonly access: Access;
  /** Its slug; absent: the operators' API as a whole. */
  readonly tenant?: string;
}

/** Throws a CliError if no accepted credential is found. */
export const openSession = (
  context: CliContext,
  command: Command,
  target: SessionTarget,
): Session => openSessionWith(context, GlobalOptions.parse(command.optsWithGlobals()), target);

/** For a command line that is not complete. */
export const openSessionWith = (
  context: CliContext,
  options: GlobalOptions,
  { access: accepted, tenant }: SessionTarget,
  clientOptions: Partial<ClientOptions> = {},
): Session => {
  const key = accepted.scope === undefined ? undefined : findTenantAccess(options, context);
  if (key === undefined && !accepted.admin) throw noKey(tenant, accepted);
  const access = key ?? operatorAccess(options, context, accepted);
  const operators = tenant === undefined ? '/admin/v1' : `/admin/v1/tenants/${tenant}`;
  const style = styleIn(options);
  const note = (text: string): void => {
    if (style === 'people') context.stderr.write(text);
  };
  warnOfPlainHttp(access, note);
  const api = openClient(access, clientOptions);
  return {
    client: createGatewayClient(api, access, key ? `/v1/${tenant}` : operators),
    call: (use) => withCliErrors(access, () => use(api)),
    access,
    tenant,
    context,
    style,
    paint: createPaint(context.stdout.hasColours),
    notePaint: createPaint(context.stderr.hasColours),
    read: (schema, response) => readResponse(schema, response, access),
    print: (views) => context.stdout.write(inStyle(style, views)),
    note,
  };
};

/** Also names the other credential that would be accepted. */
const operatorAccess = (
  options: GlobalOptions,
  context: CliContext,
  { scope }: Access,
): GatewayAccess => {
  try {
    return findOperatorAccess(options, context);
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.unauthenticated) throw error;
    if (scope === undefined) throw error;
    throw new CliError(error.exitCode, error.message, [
      ...error.hints,
      `Or set ROLLGATE_API_KEY to an API key with the scope ${scope}.`,
    ]);
  }
};

const noKey = (tenant = '<tenant>', { scope = 'usage' }: Access): CliError =>
  new CliError(EXIT.unauthenticated, 'No API key.', [
    'Set ROLLGATE_API_KEY or pass --api-key. The admin token is not accepted here.',
    `Create a key: rollgate key create ${tenant} --scope ${scope}`,
  ]);

const inStyle = (style: OutputStyle, { people, json, quiet }: Views): string => {
  if (style === 'people') return people();
  const text = style === 'json' ? json : quiet?.();
  return text === undefined || text === '' || text.endsWith('\n') ? (text ?? '') : `${text}\n`;
};

const warnOfPlainHttp = ({ url, credential }: GatewayAccess, note: Session['note']): void => {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(url)) return;
  note(`Warning: sending the ${credential} to ${hostname} unencrypted. Use https.\n`);
};
