import type { JsonObject } from '../../domain/kernel/json.js';
import type { PatchOperation } from '../../domain/commands.js';
import type { RefusalDetail } from '../../domain/kernel/refusals.js';
import type { UserProfile } from '../../domain/user/user.js';
import type { Attribute, ResourceSchema } from '../attributes.js';
import { withoutDuplicates } from '../element-list.js';
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
  const details: RefusalDetail[] = [];
  const steps = operations.flatMap((operation) => stepsOf(schema, operation, details));
  return details.length > 0 ? refuseValues(details) : steps;
};

/**
 * Runs after the last step, not after each: Entra may set an e-mail's `primary` before its `value`.
 */
const normaliseList = (resource: JsonObject, attribute: Attribute): JsonObject =>
  withElements(resource, attribute, withoutDuplicates(attribute, elementsOf(resource, attribute)));

/**
 * Applies a PATCH (RFC 7644, 3.5.2) without changing its arguments; returns the same object if
 * nothing changes. Pure and synchronous, because it runs inside the lane. Throws RefusalError if a
 * step fails; then no step is applied.
 */
const applyPatch = (
  schema: ResourceSchema,
  resource: JsonObject,
  operations: readonly PatchOperation[],
): JsonObject => {
  const steps = readSteps(schema, operations);
  const patched = steps.reduce((current, step) => APPLY[step.op](schema, current, step), resource);
  const lists = new Set(steps.map(({ target }) => target.attribute).filter(isList));
  const normalised = [...lists].reduce(normaliseList, patched);
  return sameJson(normalised, resource) ? resource : normalised;
};

const isList = ({ multiValued }: Attribute): boolean => multiValued;

/** Applies operations from `readPatch` to a user's profile. */
export const applyUserPatch = (
  profile: UserProfile,
  operations: readonly PatchOperation[],
): UserProfile =>
  // Every value was read by its attribute's type, and userName cannot be removed.
  applyPatch(USER, profile, operations) as unknown as UserProfile;
