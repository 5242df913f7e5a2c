import type { Plugin } from '../contract/contract.js';
import type { DoctorCheck } from '../contract/doctor-check.js';
import type { CliCall, CliResult } from '../contract/cli-resource.js';

/** Runs a check of a plugin where nothing can be resolved or reached. */
export const tryCheck = ({ run }: DoctorCheck, section: string, settings: unknown) =>
  run({
    settings,
    section,
    cwd: process.cwd(),
    now: () => new Date(),
    elapsed: () => performance.now(),
    egress: undefined,
    resolve: () => Promise.reject(new Error('No name is resolved in this test.')),
    connect: () =>
      Promise.resolve({
        ok: false,
        durationMs: 1,
        fault: 'connect',
        message: 'No connection is made in this test.',
      }),
  });

/** A run of a command in a test. */
export interface CommandTry {
  /** The further arguments. */
  readonly args?: readonly string[];
  /** What options set. */
  readonly fields?: CliCall['fields'];
  /** As a page, `-o html`; the result is its text. */
  readonly isPage?: true;
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
  { args = [], fields = {}, respond = () => ({}), isPage }: CommandTry = {},
): Promise<CommandOutput> => {
  const found = commands
    .flatMap((resource) => (resource.actions ?? []).map((action) => ({ resource, action })))
    .find(({ resource, action }) => `${resource.name} ${action.name}` === line);
  if (!found) throw new Error(`The plugin ${name} has no action "${line}".`);
  const requests: string[] = [];
  const reported: string[] = [];
  const call: CliCall = {
    id: ID,
    path: `${found.resource.path}/${ID}`,
    args,
    fields,
    request: (method, path, parts) => {
      requests.push(`${method} ${path}`);
      return Promise.resolve(respond(method, path, parts));
    },
    report: (line) => void reported.push(line),
  };
  const { action } = found;
  const page = isPage ? await action.html?.(call) : undefined;
  const result = page === undefined ? await action.run(call) : { sections: [{ text: page }] };
  return { result, requests, reported };
};
