import type { CapturedRequest } from '../../ports/command-log.js';
import type { SharedCaller } from '../../routes/caller.js';
import { type DryRunBody, previewOperation } from '../dry-run.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { raise } from '../../domain/kernel/refusals.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import { GROUP_OPERATIONS } from '../../scim/group-operations.js';
import type { ScimOperation } from '../../scim/scim-request.js';
import { USER_OPERATIONS } from '../../scim/user-operations.js';
import { readPrecondition } from '../conditional.js';
import { parseJson, SCIM_RULES } from '../json/parse-json.js';
import { SCIM_FORMAT } from '../errors.js';
import { readQuery } from '../routing/read-query.js';
import type { PipelinePorts } from '../run-operation.js';
import { type Endpoint, endpointUrlOf, findEndpoint } from './endpoints.js';
import { otherOperations } from './operations.js';
import {
  readParameters,
  readResourceId,
  type ScimParts,
  scimRequestOf,
  scimResponseOf,
  screened,
} from './scim-interface.js';

/** Shows what a captured request would do now. Rejects with REQUEST_NOT_REPLAYABLE. */
export type ReplayRequest = (
  captured: CapturedRequest,
  caller: Pick<SharedCaller, 'tenant' | 'actor'>,
  requestId: string,
) => Promise<DryRunBody>;

const refuseReplay = (reason: string): never =>
  raise('REQUEST_NOT_REPLAYABLE', `The request cannot be replayed: ${reason}.`);

const endpointOf = (url: string, method: string): Endpoint => {
  const [path = ''] = url.split('?', 1);
  const endpoint = findEndpoint(path);
  return endpoint?.methods.get(method) === 'scim:write'
    ? endpoint
    : refuseReplay('only requests that change users or groups can be');
};

const readCaptured = async (text: string): Promise<JsonValue> =>
  runCooperatively(
    (function* () {
      return yield* screened(yield* parseJson(text, SCIM_RULES));
    })(),
  );

const WRITES = { POST: 'create', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' } as const;

/** A captured request cannot pass through the router again: it has no connection. */
const writeOperation = ({ route }: Endpoint, method: string): ScimOperation => {
  const operations = route.startsWith('/Users') ? USER_OPERATIONS : GROUP_OPERATIONS;
  return operations[WRITES[method as keyof typeof WRITES]];
};

/**
 * Runs captured requests as dry runs: through the operations of the SCIM interface, but as an
 * operator, without the scopes and limits of the key.
 */
export const createReplay = (parts: ScimParts, ports: PipelinePorts): ReplayRequest => {
  const others = otherOperations(parts);
  return async (captured, caller, requestId) => {
    const { method, obstacle, request } = captured;
    const url = endpointUrlOf(captured.path);
    const endpoint = endpointOf(url, method);
    if (obstacle !== null) return refuseReplay(obstacle);
    const [path = ''] = url.split('?', 1);
    const { body: text } = request;
    if (text === null && method !== 'DELETE') return refuseReplay('its body was not read');
    const operation = others[endpoint.name] ?? writeOperation(endpoint, method);
    return previewOperation(ports.preview, { requestId, caller }, SCIM_FORMAT, async (submit) => {
      const ifMatch = readPrecondition(request.headers);
      const scimRequest = scimRequestOf(parts, ports, caller, {
        requestId,
        params: readResourceId({ path }, endpoint),
        query: readParameters(readQuery(url)),
        body: text === null ? undefined : await readCaptured(text),
        isDryRun: true,
        ...(ifMatch !== undefined && { ifMatch }),
      });
      const result = await operation({ ...scimRequest, submit });
      return scimResponseOf({ method, headers: {} }, result);
    });
  };
};
