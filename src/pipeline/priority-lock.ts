import type { Batch } from './batch.js';

const MAX_CONFLICTS = 3;

/**
 * Whether a batch has lost to other instances' commits so often that its instance takes the
 * tenant's priority lock. Without it, a large batch never succeeds beside a busy instance with small
 * ones (pipeline-rules.md 4).
 */
export const needsPriorityLock = ({ conflicts }: Batch): boolean => conflicts >= MAX_CONFLICTS;
