import type { Command } from 'commander';
import { z } from 'zod';
import { findGateway, findTenant, type GatewayAccess } from './gateway-access.js';
import {
  createGatewayClient,
  type GatewayAnswer,
  type GatewayClient,
  OPERATORS_API,
  readAnswer,
} from './gateway-client.js';
import { isLoopback } from './is-loopback.js';
import { createPaint, type Paint } from './paint.js';
import type { World } from './world.js';

const GlobalOptions = z.object({
  url: z.string().optional(),
  token: z.string().optional(),
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
});

/** How the result is wanted: for people, as the API gave it, or the bare ids. */
export type OutputStyle = 'people' | 'json' | 'quiet';

/** What a command that speaks to a gateway works with. */
export interface Session {
  readonly client: GatewayClient;
  readonly access: GatewayAccess;
  readonly world: World;
  /** For what is printed. */
  readonly paint: Paint;
  /** For what is noted. */
  readonly notePaint: Paint;
  readonly read: <Output>(schema: z.ZodType<Output>, answer: GatewayAnswer) => Output;
  /** A result, for the standard output. */
  readonly print: (views: Views) => void;
  /** A word to whoever sits there; scripts that asked for quiet do not hear it. */
  readonly note: (text: string) => void;
}

/** One result in each style. */
export interface Views {
  readonly people: () => string;
  /** The API's own words; absent where it had none. */
  readonly json?: string;
  /** Absent: quiet is quiet. */
  readonly quiet?: () => string;
}

export const styleOf = (command: Command): OutputStyle => {
  const { json, quiet } = GlobalOptions.parse(command.optsWithGlobals());
  return json ? 'json' : quiet ? 'quiet' : 'people';
};

/** For a command that speaks to the operators' API. */
export const openSession = (world: World, command: Command): Session =>
  sessionOf(world, command, {
    access: findGateway(GlobalOptions.parse(command.optsWithGlobals()), world),
    api: OPERATORS_API,
  });

const TenantOptions = z.object({
  url: z.string().optional(),
  tenant: z.string().optional(),
  key: z.string().optional(),
});

/** For a command that speaks to a tenant's own API, with an API key. */
export const openTenantSession = (world: World, command: Command): Session => {
  const { access, slug } = findTenant(TenantOptions.parse(command.optsWithGlobals()), world);
  return sessionOf(world, command, { access, api: `/v1/${slug}` });
};

const sessionOf = (
  world: World,
  command: Command,
  { access, api }: { readonly access: GatewayAccess; readonly api: string },
): Session => {
  const style = styleOf(command);
  const note = (text: string): void => {
    if (style === 'people') world.notes.write(text);
  };
  warnOfPlainHttp(access, note);
  return {
    client: createGatewayClient(access, api),
    access,
    world,
    paint: createPaint(world.out.hasColours),
    notePaint: createPaint(world.notes.hasColours),
    read: (schema, answer) => readAnswer(schema, answer, access),
    print: (views) => world.out.write(inStyle(style, views)),
    note,
  };
};

const inStyle = (style: OutputStyle, { people, json, quiet }: Views): string => {
  if (style === 'people') return people();
  const text = style === 'json' ? json : quiet?.();
  return text === undefined || text === '' || text.endsWith('\n') ? (text ?? '') : `${text}\n`;
};

const warnOfPlainHttp = ({ url, tokenIs }: GatewayAccess, note: Session['note']): void => {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(url)) return;
  note(`Warning: the ${tokenIs} travels to ${hostname} unencrypted. Use https there.\n`);
};
