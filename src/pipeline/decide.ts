import type { Rules } from '../domain/kernel/decider.js';
import type { Lookup } from '../domain/tables.js';
import type { DecidedBatch, GatheredBatch, DecidedArrival } from './batch.js';
import { decideBulk } from './decide-bulk.js';
import { createDecideOne } from './decide-one.js';
import { isBulk, type SingleEnvelope } from './operations.js';
import { createYielder } from './run-cooperatively.js';
import type { PipelineLog } from './pipeline-log.js';
import { MissingLookups } from './workspace.js';

/**
 * Stage 4: decides the commands in order of arrival. Each sees the changes of those before it. Pure
 * and in memory; a command that throws fails alone.
 */
export const decide = (rules: Rules, log: PipelineLog) =>
  async function decide(gathered: GatheredBatch): Promise<DecidedBatch> {
    // A layer of its own: if more has to be loaded, the gathered workspace is used again.
    const workspace = gathered.workspace.after([]);
    const { committed } = gathered;
    const decideOne = createDecideOne({ committed, rules, log });
    const yieldIfDue = createYielder();
    const decisions: DecidedArrival[] = [];
    const missing: Lookup[] = [];
    for (const arrival of gathered.arrivals) {
      const { envelope } = arrival;
      if (isBulk(envelope)) {
        const bulk = await decideBulk(envelope, workspace, { decideOne, yieldIfDue });
        for (const lookup of bulk.missing) missing.push(lookup);
        decisions.push({ arrival, ...bulk });
        continue;
      }
      const result = await decideOne(envelope as SingleEnvelope, workspace);
      if (result instanceof MissingLookups)
        for (const lookup of result.lookups) missing.push(lookup);
      else decisions.push({ arrival, decision: result.decision, commands: [result] });
      await yieldIfDue();
    }
    if (missing.length > 0) throw new MissingLookups(missing);
    return { ...gathered, workspace, decisions };
  };
