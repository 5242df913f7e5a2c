import type { Batch } from './batch.js';

/** A batch that other instances' commits came before so often takes a turn (pipeline-rules.md 4). */
const LOSSES = 3;

/** Without turns, a large batch never gets through beside a busy instance with small ones. */
export const needsTurn = ({ conflicts }: Batch): boolean => conflicts >= LOSSES;
