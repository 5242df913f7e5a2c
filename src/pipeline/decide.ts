import type { Rules } from '../domain/decide/decider.js';
import type { Need } from '../domain/tables.js';
import type { Decided, Gathered, Judged } from './batch.js';
import { decideBulk } from './decide-bulk.js';
import { judgeWith } from './judge.js';
import { isBulk, type SingleEnvelope } from './operations.js';
import { createPace } from './pace.js';
import type { PipelineLog } from './pipeline-log.js';
import { NeedMore } from './workspace.js';

/**
 * Decides every command in the order of arrival, each seeing what those before it did. Pure and in
 * memory; a command that throws fails alone.
 */
export const decide = (rules: Rules, log: PipelineLog) =>
  async function decide(gathered: Gathered): Promise<Decided> {
    // On a layer of its own: what was loaded stays as it was, should more be asked for.
    const workspace = gathered.workspace.after([]);
    const { committed } = gathered;
    const judge = judgeWith({ committed, rules, log });
    const pace = createPace();
    const judged: Judged[] = [];
    const missing: Need[] = [];
    for (const arrival of gathered.arrivals) {
      const { envelope } = arrival;
      if (isBulk(envelope)) {
        const bulk = await decideBulk(envelope, workspace, { judge, pace });
        for (const need of bulk.missing) missing.push(need);
        judged.push({ arrival, ...bulk });
        continue;
      }
      const judgement = await judge(envelope as SingleEnvelope, workspace);
      if (judgement instanceof NeedMore) for (const need of judgement.needs) missing.push(need);
      else judged.push({ arrival, verdict: judgement.verdict, commands: [judgement] });
      await pace();
    }
    if (missing.length > 0) throw new NeedMore(missing);
    return { ...gathered, workspace, judged };
  };
