import type { CliCall, CliResult } from '../cli-command.js';
import type { Plugin } from '../contract.js';

export interface CommandTry {
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, string | true>>;
  /** The operators' API; the body of its response. */
  readonly respond?: (
    method: string,
    path: string,
    parts: Parameters<CliCall['request']>[2],
  ) => unknown;
}

export interface CommandOutput {
  readonly results: readonly CliResult[];
  readonly notes: readonly string[];
  /** `GET /tenants/acme/webhooks` */
  readonly requests: readonly string[];
}

/** Runs a command of a plugin, `webhook list`, against a made-up API. */
export const tryCommand = async (
  { name, commands = [] }: Plugin,
  line: string,
  { arguments: given = {}, options = {}, respond = () => ({}) }: CommandTry = {},
): Promise<CommandOutput> => {
  const command = commands
    .flatMap((group) => group.commands.map((one) => [`${group.name} ${one.name}`, one] as const))
    .find(([words]) => words === line)?.[1];
  if (!command) throw new Error(`The plugin ${name} has no command "${line}".`);
  const results: CliResult[] = [];
  const notes: string[] = [];
  const requests: string[] = [];
  await command.run({
    arguments: given,
    options,
    request: async (method, path, parts) => {
      requests.push(`${method} ${path}`);
      return Promise.resolve(respond(method, path, parts));
    },
    print: (result) => void results.push(result),
    note: (text) => void notes.push(text),
  });
  return { results, notes, requests };
};
