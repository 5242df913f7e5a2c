import type { JsonObject } from '../../domain/json.js';
import type { PatchOperation } from '../../domain/patch-operation.js';
import type { RefusalDetail } from '../../domain/refusals.js';
import type { UserProfile } from '../../domain/user.js';
import type { Attribute, ResourceSchema } from '../attributes.js';
import { tidy } from '../element-list.js';
import { refuseValues } from '../refuse-input.js';
import { sameJson } from '../same-json.js';
import { USER } from '../user-schema.js';
import { add } from './add.js';
import { type PatchStep, stepsOf } from './patch-step.js';
import { remove } from './remove.js';
import { replace } from './replace.js';
import { elementsOf, withElements } from './selected-elements.js';

const APPLY = { add, replace, remove } as const;

const readSteps = (
  schema: ResourceSchema,
  operations: readonly PatchOperation[],
): readonly PatchStep[] => {
  const faults: RefusalDetail[] = [];
  const steps = operations.flatMap((operation) => stepsOf(schema, operation, faults));
  return faults.length > 0 ? refuseValues(faults) : steps;
};

/**
 * Lists are put in order when all is done, not after each step: Entra may set `primary` and `type`
 * of an e-mail before its `value`.
 */
const settleList = (resource: JsonObject, attribute: Attribute): JsonObject =>
  withElements(resource, attribute, tidy(attribute, elementsOf(resource, attribute)));

/**
 * A resource after a PATCH (RFC 7644, 3.5.2); the same object where nothing changed, and never one
 * that was handed in. Pure and synchronous, for it runs inside the lane. Throws RefusalError where
 * a step cannot be done; then none is.
 */
export const applyPatch = (
  schema: ResourceSchema,
  resource: JsonObject,
  operations: readonly PatchOperation[],
): JsonObject => {
  const steps = readSteps(schema, operations);
  const patched = steps.reduce((current, step) => APPLY[step.op](schema, current, step), resource);
  const lists = new Set(steps.map(({ target }) => target.attribute).filter(isList));
  const settled = [...lists].reduce(settleList, patched);
  return sameJson(settled, resource) ? resource : settled;
};

const isList = ({ multiValued }: Attribute): boolean => multiValued;

/** A user's profile after a PATCH whose operations `readPatch` has read. */
export const applyUserPatch = (
  profile: UserProfile,
  operations: readonly PatchOperation[],
): UserProfile =>
  // Every value was read by the type of its attribute, and userName cannot be taken away.
  applyPatch(USER, profile, operations) as unknown as UserProfile;
