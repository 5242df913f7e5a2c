import SCIMMY from 'scimmy';
import { type ScimType, raise } from '../domain/refusals.js';

/**
 * The one file that touches scimmy: its typings are narrower than what it takes, so the casts are
 * here. What it is used for and what it must never see (client text that it would parse as a
 * filter or walk as a path) is told by the tests that watch its known flaws.
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

const inPlainWords = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A schema of the RFC in plain words, without the attributes that all schemas share. */
export const describeSchema = (name: SchemaName): SchemaDescription =>
  inPlainWords(SCIMMY.Schemas[name].definition.describe()) as SchemaDescription;

/** `schemas`, `id`, `externalId`, `meta`: in every resource, in no schema (RFC 7643, 3.1). */
export const describeCommonAttributes = (): readonly AttributeDescription[] =>
  ['schemas', 'id', 'externalId', 'meta'].map(
    (name) => inPlainWords(SCIMMY.Schemas.User.definition.attribute(name)) as AttributeDescription,
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
 * What the router dispatches to. Ours derive from it without its constructor's arguments: those it
 * would parse as filters.
 */
export const LibraryResource = SCIMMY.Types.Resource as unknown as new () => { id?: string };

/** The schema that a resource class has to name to be declared. */
export const librarySchema = (name: SchemaName): unknown => SCIMMY.Schemas[name];

/** Makes the router serve a class of resources; once in the life of the process. */
export const declareResource = (resource: unknown, name: string): void => {
  SCIMMY.Resources.declare(resource as typeof SCIMMY.Types.Resource, name);
};

/** Refuses what has not the form of a PATCH (RFC 7644, 3.5.2); the values are not looked at. */
export const checkPatchForm = (body: unknown): void => {
  try {
    new SCIMMY.Messages.PatchOp(body as ConstructorParameters<typeof SCIMMY.Messages.PatchOp>[0]);
  } catch (error) {
    if (!(error instanceof SCIMMY.Types.Error)) throw error;
    raise('INVALID_REQUEST', `${error.message}.`, { scimType: error.scimType as ScimType });
  }
};
