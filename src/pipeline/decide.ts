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
    const { workspace, committed } = gathered;
    const judge = judgeWith({ committed, rules, log });
    const pace = createPace();
    const judged: Judged[] = [];
    const missing: Need[] = [];
    for (const arrival of gathered.arrivals) {
      const { envelope } = arrival;
      if (isBulk(envelope)) {
        const bulk = await decideBulk(envelope, workspace, { judge, pace });
        missing.push(...bulk.missing);
        judged.push({ arrival, ...bulk });
        continue;
      }
      const judgement = judge(envelope as SingleEnvelope, workspace);
      if (judgement instanceof NeedMore) missing.push(...judgement.needs);
      else judged.push({ arrival, verdict: judgement.verdict, commands: [judgement] });
      await pace();
    }
    // Decided without knowing is not decided: all of it again once everything is there.
    if (missing.length > 0) throw new NeedMore(missing);
    return { ...gathered, judged };
  };
