import type { MemberStep } from '../../../src/domain/commands.js';

export interface RefRoom {
  readonly id: string;
  name: string;
}

export interface RefGroup {
  readonly id: string;
  displayName: string;
  externalId: string | null;
  readonly roomId: string | null;
}

export interface RefMapping {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly applies: boolean;
  readonly priority: number;
  /** Order of creation: of two with equal priority, the older one wins. */
  readonly age: number;
}

/** The members after these steps, applied in order (RFC 7644, 3.5.2). */
export const membersAfter = (
  before: readonly string[],
  steps: readonly MemberStep[],
): ReadonlySet<string> => {
  let members = new Set(before);
  for (const step of steps) {
    if (step.op === 'replace' || step.op === 'removeAll') members = new Set();
    if (step.op === 'removeAll') continue;
    for (const id of step.userIds)
      if (step.op === 'remove') members.delete(id);
      else members.add(id);
  }
  return members;
};
