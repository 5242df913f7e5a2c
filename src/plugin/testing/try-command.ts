import type { CliCall, CliResult } from '../contract/cli-resource.js';
import type { Plugin } from '../contract/contract.js';

/** A run of a command in a test. */
export interface CommandTry {
  /** The further arguments. */
  readonly args?: readonly string[];
  /** What options set. */
  readonly fields?: CliCall['fields'];
  /** The response body of each request to the API. */
  readonly respond?: (
    method: string,
    path: string,
    parts: Parameters<CliCall['request']>[2],
  ) => unknown;
}

/** What a command printed. */
export interface CommandOutput {
  readonly result: CliResult;
  /** `POST /webhooks/test-item/test` */
  readonly requests: readonly string[];
  /** Lines of progress. */
  readonly reported: readonly string[];
}

const ID = 'test-item';

/** Runs an action of a plugin's resource, such as `webhook test`, against a made-up API. */
export const tryCommand = async (
  { name, commands = [] }: Plugin,
  line: string,
  { args = [], fields = {}, respond = () => ({}) }: CommandTry = {},
): Promise<CommandOutput> => {
  const found = commands
    .flatMap((resource) => (resource.actions ?? []).map((action) => ({ resource, action })))
    .find(({ resource, action }) => `${resource.name} ${action.name}` === line);
  if (!found) throw new Error(`The plugin ${name} has no action "${line}".`);
  const requests: string[] = [];
  const reported: string[] = [];
  const result = await found.action.run({
    id: ID,
    path: `${found.resource.path}/${ID}`,
    args,
    fields,
    request: (method, path, parts) => {
      requests.push(`${method} ${path}`);
      return Promise.resolve(respond(method, path, parts));
    },
    report: (line) => void reported.push(line),
  });
  return { result, requests, reported };
};
