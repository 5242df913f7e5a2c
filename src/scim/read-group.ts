import type { ChangeGroup, MemberStep } from '../domain/commands.js';
import type { UserId } from '../domain/ids.js';
import type { Pieces } from '../domain/in-pieces.js';
import type { JsonValue } from '../domain/json.js';
import { selectMembers } from '../domain/member-selection.js';
import { raise } from '../domain/refusals.js';
import type { ScimSettings } from '../domain/tenant.js';
import { GROUP, MEMBERS } from './group-schema.js';
import type { PatchStep } from './patch/patch-step.js';
import { readPatchSteps } from './patch/read-patch.js';
import { clear, writeSingle } from './patch/write-value.js';
import { readFormerMembers, readMembers } from './read-members.js';
import { readResource } from './read-user.js';
import { refuseMutability, refuseValues } from './refuse-input.js';
import { faultOfGroupName } from './text-rules.js';

/** A group as a body describes it. */
export interface GroupBody {
  readonly displayName: string;
  readonly externalId: string | null;
  /** Undefined where the body says nothing of members. */
  readonly members: readonly UserId[] | undefined;
}

const requireFitName = (name: string): string => {
  const message = faultOfGroupName(name);
  return message === undefined ? name : refuseValues([{ path: 'displayName', message }]);
};

/**
 * The group in the body of a POST or PUT. Throws RefusalError INVALID_REQUEST with every fault of
 * its attributes, or with every member who cannot be one.
 */
export const readGroup = function* (body: unknown): Pieces<GroupBody> {
  const { displayName, externalId, members } = readResource(GROUP, body);
  return {
    // Read by its type, and required.
    displayName: requireFitName(displayName as string),
    externalId: typeof externalId === 'string' ? externalId : null,
    members: Array.isArray(members)
      ? yield* readMembers(members as readonly JsonValue[])
      : undefined,
  };
};

/** What of a `group.change` a request says; whose it is, is in its address. */
export type GroupChange = Pick<ChangeGroup, 'displayName' | 'externalId' | 'steps'>;

/**
 * A PUT. One that does not mention `members` empties the group (RFC 7644, 3.5.1), for clients leave
 * empty lists out: were they to stay, the last member removed would keep access. A tenant whose
 * client reads with `excludedAttributes=members` and puts back what it read can have them kept.
 */
export const readGroupReplacement = function* (
  body: unknown,
  { putWithoutMembers }: Pick<ScimSettings, 'putWithoutMembers'>,
): Pieces<GroupChange> {
  const { displayName, externalId, members } = yield* readGroup(body);
  const userIds = members ?? (putWithoutMembers === 'clear' ? [] : undefined);
  return { displayName, externalId, steps: userIds ? [{ op: 'replace', userIds }] : [] };
};

const isAboutMembers = ({ target }: PatchStep): boolean => target.attribute === MEMBERS;

const removalOf = function* ({ target: { selector }, value }: PatchStep): Pieces<MemberStep> {
  if (!selector) {
    return Array.isArray(value)
      ? { op: 'remove', userIds: yield* readFormerMembers(value as readonly JsonValue[]) }
      : { op: 'removeAll' };
  }
  const { kind, ids } = selectMembers(selector);
  if (kind === 'these') {
    const userIds = yield* readFormerMembers([...ids].map((value) => ({ value })));
    return { op: 'remove', userIds };
  }
  return ids.size === 0
    ? { op: 'removeAll' }
    : raise(
        'INVALID_FILTER',
        'Name the members to remove, as in members[value eq "…"]; all but some cannot be removed.',
      );
};

const stepOf = function* (step: PatchStep): Pieces<MemberStep> {
  const { op, target, value } = step;
  if (target.part || (target.selector && op !== 'remove')) {
    return refuseMutability(
      'A member has nothing that can be changed: add users to members, or remove them.',
    );
  }
  if (op === 'remove') return yield* removalOf(step);
  const given = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  return { op, userIds: yield* readMembers(given) };
};

const writeHead = (head: Head, { op, target: { attribute }, value }: PatchStep): Head => {
  const isTaken = op === 'remove' || value === null;
  if (isTaken && !attribute.required) return { ...head, [attribute.name]: null };
  const written = isTaken ? clear({}, attribute) : writeSingle(GROUP, {}, [attribute, value]);
  return { ...head, ...written };
};

type Head = Pick<GroupChange, 'displayName' | 'externalId'>;

/**
 * A PATCH to the group of this id (RFC 7644, 3.5.2): the last word on each of its own attributes, and
 * the steps on its members in their order. Throws as `readPatch`.
 */
export const readGroupPatch = function* (body: unknown, id: string): Pieces<GroupChange> {
  const steps = readPatchSteps(GROUP, body, id);
  const head = steps
    .filter((step) => !isAboutMembers(step))
    .reduce<Head>((written, step) => writeHead(written, step), {});
  if (head.displayName !== undefined) requireFitName(head.displayName);
  const memberSteps: MemberStep[] = [];
  for (const step of steps.filter(isAboutMembers)) memberSteps.push(yield* stepOf(step));
  return { ...head, steps: memberSteps };
};
