import {
  idField,
  type JsonObject,
  nativeRoute,
  raise,
  type Route,
  type Tenant,
  timeField,
  z,
} from '../../../src/plugin/api.js';
import {
  CONNECTOR_DISABLED,
  CONNECTOR_NOT_FOUND,
  PUSH,
  SNAPSHOT_NOT_OPEN,
  TAG,
  UPLOAD_NOT_FOUND,
} from '../declarations.js';
import type { ConnectorService } from '../connector-service.js';
import { idOf } from './read-uploads.js';
import { UploadBody } from './upload-body.js';
import { appliedIn, isApplied, isRejected } from './upload-cursor.js';
import { type Upload, uploadSettings } from './upload-store.js';

/** An upload is stored in one document of up to 1 MiB. */
const BODY_LIMIT = 768 * 1_024;

const Problem = z.strictObject({
  external_id: z.string().describe('The person.'),
  message: z.string().describe('Why they cannot be provisioned yet.'),
});

const UploadView = z
  .strictObject({
    id: idField('The id of the upload.'),
    received_at: timeField().describe('When it was received.'),
    operations: z.int().describe('How many people it has.'),
    state: z
      .enum(['waiting', 'processing', 'held', 'rejected', 'done'])
      .describe(
        '`waiting`: no run has read it yet, or its snapshot is not complete. `held`: a run has read it ' +
          'and waits for an approval. `rejected`: an operator has rejected what would have changed; upload ' +
          'again what was right. `done`: it was applied, except for `problems`.',
      ),
    run: z.string().nullable().describe('The run that is processing it.'),
    problems: z
      .array(Problem)
      .describe('People of this upload who are in quarantine, once a run has read it.'),
  })
  .meta({ id: 'ConnectorUploadStatus' });

const SNAPSHOT = z
  .enum(['start', 'continue', 'complete'])
  .optional()
  .describe(
    'Makes several uploads one list of everybody: who is not in it has left. Absent: the upload has ' +
      'changes only.',
  );

/** The routes of clients that upload people (Microsoft: API-driven inbound provisioning). */
export const uploadRoutes = (services: readonly ConnectorService[]): readonly Route[] => {
  const find = ({ slug }: Tenant, name: string): ConnectorService => {
    const service = services.find(
      ({ configured }) =>
        configured.tenant === slug &&
        configured.name === name &&
        configured.connector?.receivesUploads === true,
    );
    return service ?? raise(CONNECTOR_NOT_FOUND, `No connector "${name}" receives uploads.`);
  };

  return [
    nativeRoute({
      method: 'POST',
      path: '/connectors/{connector}/bulkUpload',
      scope: PUSH,
      operationId: 'uploadPeople',
      tag: TAG,
      summary: 'Upload people',
      description:
        "In the form of Microsoft's API-driven inbound provisioning: a SCIM bulk request whose " +
        'operations are `POST /Users`. A person is created or updated by `externalId`; `active: false` ' +
        'deactivates. The upload is stored, and a run of the connector applies it soon.',
      params: z.object({ connector: z.string() }),
      query: z.strictObject({ snapshot: SNAPSHOT }),
      body: UploadBody,
      bodyLimit: BODY_LIMIT,
      responses: {
        202: { description: 'Stored. `Location` is the status of the upload.', body: UploadView },
      },
      refusals: [CONNECTOR_NOT_FOUND, CONNECTOR_DISABLED, SNAPSHOT_NOT_OPEN, 'RATE_LIMITED'],
      handler: async ({ caller: { tenant }, params, query, body }) => {
        const service = find(tenant, params.connector);
        const { Operations: operations } = body;
        requireFew(operations.length, service, query.snapshot === 'complete');
        const people = operations.map(({ data }) => data as JsonObject);
        const upload = await service.receive(people, query.snapshot);
        return {
          status: 202,
          body: viewOf(upload, { state: 'waiting', run: null }),
          location: `/connectors/${encodeURIComponent(params.connector)}/uploads/${upload.id}`,
        };
      },
    }),
    nativeRoute({
      method: 'GET',
      path: '/connectors/{connector}/uploads/{upload}',
      scope: PUSH,
      operationId: 'getUpload',
      tag: TAG,
      summary: 'Get the status of an upload',
      params: z.object({ connector: z.string(), upload: z.string() }),
      responses: { 200: { description: 'The upload.', body: UploadView } },
      refusals: [CONNECTOR_NOT_FOUND, UPLOAD_NOT_FOUND],
      handler: async ({ caller: { tenant }, params }) => {
        const service = find(tenant, params.connector);
        const { uploads, quarantine } = await service.store();
        const upload =
          (await uploads.find(params.upload)) ??
          raise(
            UPLOAD_NOT_FOUND,
            'The connector has no upload with this id, or it is no longer stored: it is older than 30 ' +
              'days, or a complete list replaced it.',
          );
        // First: problems that are read before the run ends are not all of them.
        const progress = await progressOf(service, upload);
        const quarantined = await quarantine.many([...new Set(upload.people.map(idOf))]);
        const problems = [...quarantined].map(([id, { message }]) => ({
          external_id: id,
          message,
        }));
        return { status: 200, body: viewOf(upload, progress, problems) };
      },
    }),
  ];
};

const requireFew = (count: number, { configured }: ConnectorService, mayBeEmpty: boolean): void => {
  const { maxOperations: most } = uploadSettings(configured);
  if (count > most)
    raise('PAYLOAD_TOO_LARGE', `The upload has ${count} operations; at most ${most} are allowed.`);
  if (count === 0 && !mayBeEmpty)
    raise('INVALID_REQUEST', 'Operations is empty. Send one for each person.');
};

type View = z.output<typeof UploadView>;
type Progress = Pick<View, 'state' | 'run'>;

const viewOf = (
  { id, receivedAt, people }: Upload,
  progress: Progress,
  problems: View['problems'] = [],
): View => ({ id, received_at: receivedAt, operations: people.length, ...progress, problems });

const progressOf = async (service: ConnectorService, upload: Upload): Promise<Progress> => {
  const store = await service.store();
  const [{ cursor }, { open, held }] = [await store.memory(), await store.currentRuns()];
  const list = upload.list === null ? undefined : await store.uploads.list(upload.list);
  if (list?.end === null) return { state: 'waiting', run: null };
  if (isApplied(cursor, upload))
    return { state: isRejected(appliedIn(cursor), upload) ? 'rejected' : 'done', run: null };
  const waiting = held.find((run) => isApplied(run.cursor, upload));
  if (waiting) return { state: 'held', run: waiting.id };
  const [run] = open;
  return run ? { state: 'processing', run: run.id } : { state: 'waiting', run: null };
};
