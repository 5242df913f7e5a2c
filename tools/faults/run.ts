import type { Program } from '../shared/faults/scenario.js';
import { crash, crashWebhooks } from './crash.js';
import { failover } from './failover.js';
import { fairness } from './fairness.js';
import { hostile } from './hostile.js';
import { isolation } from './isolation.js';
import { smsLists } from './sms-lists.js';

/** `npm run <name>` for each of them. */
const SCENARIOS: readonly Program[] = [
  crash,
  crashWebhooks,
  failover,
  fairness,
  isolation,
  smsLists,
  hostile,
];

const [name, ...args] = process.argv.slice(2);
const scenario = SCENARIOS.find((each) => each.name === name);
if (!scenario) throw new Error(`Scenarios: ${SCENARIOS.map((each) => each.name).join(', ')}`);
process.exitCode = await scenario.main(args);
