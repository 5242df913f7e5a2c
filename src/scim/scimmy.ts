import SCIMMY from 'scimmy';
import { raise, type ScimType } from '../domain/kernel/refusals.js';

/**
 * The only file that imports scimmy. Its typings are narrower than what it accepts, so the casts
 * are here. scimmy must never receive client text that it would parse as a filter or follow as a
 * path; test/scim/library-flaws.test.ts lists its known flaws.
 */

/** An attribute as a schema describes it (RFC 7643, 7). */
export interface AttributeDescription {
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly canonicalValues?: readonly string[];
  readonly mutability: string;
  readonly returned: string;
  readonly uniqueness?: string;
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly AttributeDescription[];
}

export interface SchemaDescription {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly AttributeDescription[];
}

type SchemaName = 'User' | 'EnterpriseUser' | 'Group';

const toPlainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** An RFC schema as plain JSON, without the attributes that all schemas share. */
export const describeSchema = (name: SchemaName): SchemaDescription =>
  toPlainJson(SCIMMY.Schemas[name].definition.describe()) as SchemaDescription;

/**
 * `schemas`, `id`, `externalId`, `meta`: part of every resource, but of no schema (RFC 7643, 3.1).
 */
export const describeCommonAttributes = (): readonly AttributeDescription[] =>
  ['schemas', 'id', 'externalId', 'meta'].map(
    (name) => toPlainJson(SCIMMY.Schemas.User.definition.attribute(name)) as AttributeDescription,
  );

export const MESSAGE_URNS = {
  error: SCIMMY.Messages.ErrorResponse.id,
  list: SCIMMY.Messages.ListResponse.id,
  patch: SCIMMY.Messages.PatchOp.id,
  search: SCIMMY.Messages.SearchRequest.id,
  bulk: SCIMMY.Messages.BulkRequest.id,
  bulkResponse: SCIMMY.Messages.BulkResponse.id,
} as const;

/**
 * Base class of the resources that the router dispatches to. Subclasses pass no constructor
 * arguments, because scimmy would parse them as filters.
 */
export const LibraryResource = SCIMMY.Types.Resource as unknown as new () => { id?: string };

/** The schema that a resource class must name to be declared. */
export const librarySchema = (name: SchemaName): unknown => SCIMMY.Schemas[name];

/** Registers a resource class with the router, for the lifetime of the process. */
export const declareResource = (resource: unknown, name: string): void => {
  SCIMMY.Resources.declare(resource as typeof SCIMMY.Types.Resource, name);
};

/** Refuses a body that is not a well-formed PATCH (RFC 7644, 3.5.2). Does not check the values. */
export const checkPatchForm = (body: unknown): void => {
  try {
    new SCIMMY.Messages.PatchOp(body as ConstructorParameters<typeof SCIMMY.Messages.PatchOp>[0]);
  } catch (error) {
    if (!(error instanceof SCIMMY.Types.Error)) throw error;
    raise('INVALID_REQUEST', `${error.message}.`, { scimType: error.scimType as ScimType });
  }
};
