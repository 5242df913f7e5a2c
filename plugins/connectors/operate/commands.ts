import {
  type CliAction,
  type CliCall,
  type CliOption,
  type CliResult,
  type CliSection,
  defineCliResource,
  z,
} from '../../../src/plugin/api.js';
import { PLAN_CLASSES } from '../plan/plan-item.js';
import { changeLines, planPage, valueText } from './plan-html.js';
import { MappingPreview } from './preview-mapping.js';
import { ConnectorView, decisionCommands, ItemView, QuarantineView, RunView } from './views.js';

const POLL_MS = 500;
const PAGE = 500;
/** More items are in the JSON and the HTML. */
const MAX_ROWS = 200;

const RunPage = z.object({ runs: z.array(RunView), next: z.string().nullable() });
const ItemPage = z.object({ items: z.array(ItemView), next: z.string().nullable() });
const QuarantinePage = z.object({
  records: z.array(QuarantineView),
  next: z.string().nullable(),
});

const IN_PROGRESS: readonly RunView['state'][] = [
  'queued',
  'reading',
  'planning',
  'approved',
  'applying',
];

const RECORD_OPTION: CliOption = {
  flags: '--id <record>',
  field: 'records',
  help: 'only this record, by its id in the source; repeatable',
  parse: (text) => [text],
};
const MODE: CliOption = {
  flags: '--mode <full|delta|dates>',
  help: 'full: read everybody (default); delta: read what changed; dates: read nothing, apply stored dates that are due',
  choices: ['full', 'delta', 'dates'],
};

const stamp = (iso: string | null): string | null => iso?.replace(/\.\d+Z$/, 'Z') ?? null;

/** Records that were asked for by `--id` and that the source does not have; undefined: none. */
const missingNote = ({ fields: { records } }: CliCall, run: RunView): string | undefined => {
  const asked = Array.isArray(records) ? records.length : 0;
  return run.state === 'failed' || run.read >= asked
    ? undefined
    : `The source has ${run.read} of ${asked} records with these ids. Check --id.\n`;
};

const progressLine = (run: RunView): string =>
  `${run.state}: ${run.read} read, ${run.staged} staged, ${run.applied} applied, ${run.failed} failed` +
  (run.per_second === null ? '' : `, ${run.per_second}/s`);

/** Polls a run to its end and reports its progress. */
const follow = async ({ path, request, report }: CliCall, started: RunView): Promise<RunView> => {
  let run = started;
  let line = '';
  while (IN_PROGRESS.includes(run.state)) {
    if (progressLine(run) !== line) report((line = progressLine(run)));
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
    run = RunView.parse(await request('GET', `${path}/runs/${run.id}`));
  }
  return run;
};

const runSections = (run: RunView): readonly CliSection[] => [
  {
    fields: [
      ['run', run.id],
      ['mode', run.mode],
      ['state', run.state],
      ['message', run.message],
      ['requested by', run.requested_by],
      ['started', stamp(run.started_at)],
      ['finished', stamp(run.finished_at)],
      ['read', `${run.read}, ${run.unchanged} unchanged`],
      ['applied', `${run.applied}, ${run.failed} failed`],
      ['plan', run.plan?.digest],
      ['approve until', stamp(run.expires_at)],
      ['approved by', run.approved_by],
    ],
  },
  ...run.outlook.map(({ title, lines }) => ({
    text: [`${title}:`, ...lines.map(({ text }) => `  ${text}`), ''].join('\n'),
  })),
  ...(run.plan?.findings ?? []).map(({ message }) => ({ text: `! ${message}\n` })),
  ...(run.warnings.length > 0 ? [{ text: `${run.warnings.join('\n')}\n` }] : []),
  ...decisionCommands(run).map((command) => ({ text: `${command}\n` })),
];

/** The people of a plan, the riskiest first; with a class, only these. */
const itemsOf = async (
  { path, request, fields: { class: only } }: CliCall,
  run: RunView,
  most = Infinity,
): Promise<readonly ItemView[]> => {
  const all = run.outlook.flatMap(({ lines }) => lines.flatMap((line) => line.class ?? []));
  const items: ItemView[] = [];
  for (const of of typeof only === 'string' ? [only] : new Set(all)) {
    let after: string | null = null;
    do {
      const page = ItemPage.parse(
        await request('GET', `${path}/runs/${run.id}/plan`, {
          query: { limit: PAGE, class: of, ...(after !== null && { after }) },
        }),
      );
      items.push(...page.items);
      after = page.next;
    } while (after !== null && items.length < most);
    if (items.length >= most) break;
  }
  return items;
};

const itemTable = (items: readonly ItemView[]): CliSection => ({
  columns: [
    { title: 'action' },
    { title: 'record' },
    { title: 'who', wrapAt: 24 },
    { title: 'before → after', wrapAt: 48 },
    { title: 'why', wrapAt: 32 },
    { title: 'outcome' },
  ],
  rows: items
    .slice(0, MAX_ROWS)
    .map((item) => [
      item.kind,
      item.record,
      item.name,
      [...changeLines(item), ...item.warnings].join('; '),
      item.why,
      item.message === null ? item.outcome : `${item.outcome}: ${item.message}`,
    ]),
});

const showPlan = async (call: CliCall): Promise<CliResult> => {
  const run = await readPlan(call);
  const items = run.plan ? await itemsOf(call, run, MAX_ROWS + 1) : [];
  const note = missingNote(call, run);
  return {
    ...(note !== undefined && { note }),
    sections: [
      ...runSections(run),
      itemTable(items),
      ...(items.length > MAX_ROWS ? [{ text: `… and more; -o html shows all.\n` }] : []),
    ],
    quiet: [run.id],
    isFailure: run.state === 'failed' || note !== undefined,
  };
};

const start = async (call: CliCall, body: object): Promise<RunView> =>
  RunView.parse(await call.request('POST', `${call.path}/runs`, { body }));

/** The given run, or a new one that plans only, at its end. */
const readPlan = async (call: CliCall): Promise<RunView> => {
  const { run: id, mode, records } = call.fields;
  if (typeof id === 'string')
    return RunView.parse(await call.request('GET', `${call.path}/runs/${id}`));
  const body = {
    plan_only: true,
    ...(mode !== undefined && { mode }),
    ...(records !== undefined && { records }),
  };
  return follow(call, await start(call, body));
};

const plan: CliAction = {
  name: 'plan',
  summary: 'show what a run would do, or what an existing run plans',
  description:
    'Read the source and show the plan: what happens at once, later and not; who would change, from what ' +
    'to what, and why, the riskiest first. Nothing is changed. ' +
    'With --run, show the plan of that run, such as a held one. -o html prints a page to send to the ' +
    'approver.',
  options: [
    MODE,
    RECORD_OPTION,
    {
      flags: '--class <class>',
      help: 'list only these people, such as deactivate, leave or missing',
      choices: PLAN_CLASSES,
    },
    {
      flags: '--run <id>',
      help: 'show the plan of this run',
      parse: (text) => {
        // The path would be that of all runs.
        if (text === '') throw new Error('It must not be empty.');
        return text;
      },
    },
  ],
  run: showPlan,
  html: async (call) => {
    const planned = await readPlan(call);
    return planPage(planned, planned.plan ? await itemsOf(call, planned) : []);
  },
  examples: [
    ['rollgate connector plan acme bamboo-eu', 'what a full read would change'],
    ['rollgate connector plan acme bamboo-eu --id 4711', 'for one person'],
    ['rollgate connector plan acme bamboo-eu --class deactivate', 'who would lose access'],
    [
      'rollgate connector plan acme bamboo-eu --run run-2d1zlmkzi80-b2fbbf -o html > plan.html',
      'a page for the approver',
    ],
  ],
};

const run: CliAction = {
  name: 'run',
  summary: 'run a connector now and show its progress',
  description:
    'Start a run and wait for its end. It continues if the command is interrupted. The exit code is 1 ' +
    'unless the run is done, and if the source does not have a record of --id.',
  options: [MODE, RECORD_OPTION],
  run: async (call) => {
    const { mode, records } = call.fields;
    const body = { ...(mode !== undefined && { mode }), ...(records !== undefined && { records }) };
    const ended = await follow(call, await start(call, body));
    const note =
      ended.state === 'held'
        ? `Held. Look at it: rollgate connector plan ${ended.tenant} ${ended.connector} --run ${ended.id}\n`
        : missingNote(call, ended);
    return {
      ...(note !== undefined && { note }),
      sections: runSections(ended),
      quiet: [ended.id],
      isFailure: ended.state !== 'done' || note !== undefined,
    };
  },
  examples: [
    ['rollgate connector run acme bamboo-eu', 'read everybody'],
    ['rollgate connector run acme bamboo-eu --mode delta', 'read changes'],
    ['rollgate connector run acme bamboo-eu --id 4711', 'one person'],
  ],
};

const runs: CliAction = {
  name: 'runs',
  summary: 'list the runs of a connector, newest first',
  options: [
    {
      flags: '--limit <number>',
      help: 'maximum number of results, up to 500 (default: 20)',
      type: { min: 1, max: 500 },
    },
  ],
  run: async ({ path, request, fields }) => {
    const limit = typeof fields.limit === 'number' ? fields.limit : 20;
    const { runs: found } = RunPage.parse(
      await request('GET', `${path}/runs`, { query: { limit } }),
    );
    return {
      sections: [
        {
          columns: [
            { title: 'run' },
            { title: 'mode' },
            { title: 'state' },
            { title: 'started' },
            { title: 'read', align: 'right' },
            { title: 'applied', align: 'right' },
            { title: 'failed', align: 'right' },
            { title: 'plan', wrapAt: 32 },
            { title: 'message', wrapAt: 48 },
          ],
          rows: found.map((one) => [
            one.id,
            one.plan_only ? `${one.mode}, plan` : one.mode,
            one.state,
            stamp(one.started_at),
            String(one.read),
            String(one.applied),
            String(one.failed),
            one.summary,
            one.message,
          ]),
        },
      ],
      quiet: found.map(({ id }) => id),
    };
  },
  examples: [['rollgate connector runs acme bamboo-eu', 'the last 20 runs']],
};

/** The given run, or the newest one. */
const reported = async ({
  path,
  args: [id],
  id: connector,
  request,
}: CliCall): Promise<RunView> => {
  if (id !== undefined) return RunView.parse(await request('GET', `${path}/runs/${id}`));
  const {
    runs: [newest],
  } = RunPage.parse(await request('GET', `${path}/runs`, { query: { limit: 1 } }));
  if (!newest) throw new Error(`The connector ${connector} has had no run.`);
  return newest;
};

const report: CliAction = {
  name: 'report',
  summary: 'show what a run has done, a line per person',
  description:
    'Show who was created, changed, deactivated or failed, and why. -o csv prints all of them for a ' +
    'spreadsheet.',
  arguments: [{ name: '[run]', help: 'id of the run; default: the newest' }],
  run: async (call) => {
    const run = await reported(call);
    const items = run.plan ? await itemsOf(call, run, MAX_ROWS + 1) : [];
    return {
      sections: [
        ...runSections(run),
        itemTable(items),
        ...(items.length > MAX_ROWS ? [{ text: `… and more; -o csv prints all.\n` }] : []),
      ],
      quiet: [run.id],
    };
  },
  csv: async (call) => {
    const { id } = await reported(call);
    return String(await call.request('GET', `${call.path}/runs/${id}/report`));
  },
  examples: [
    ['rollgate connector report acme bamboo-eu', 'the newest run'],
    [
      'rollgate connector report acme bamboo-eu run-2d1zlmkzi80-b2fbbf -o csv > report.csv',
      'for a spreadsheet',
    ],
  ],
};

const approve: CliAction = {
  name: 'approve',
  summary: 'approve the plan of a held run and apply it',
  description:
    'Approve exactly the plan with this digest, for one run. It expires after 24 hours, and as soon ' +
    'as a newer run has another plan.',
  arguments: [{ name: '<run>', help: 'id of the held run' }],
  options: [
    {
      flags: '--plan <digest>',
      help: 'digest of the plan, as "rollgate connector plan --run" shows it',
      isRequired: true,
    },
  ],
  run: async (call) => {
    const [id = ''] = call.args;
    const approved = RunView.parse(
      await call.request('POST', `${call.path}/runs/${id}/approve`, {
        body: { plan: call.fields.plan },
      }),
    );
    const ended = await follow(call, approved);
    return {
      note: `Approved ${id}.\n`,
      sections: runSections(ended),
      quiet: [id],
      isFailure: ended.state === 'failed',
    };
  },
  examples: [
    [
      'rollgate connector approve acme bamboo-eu run-2d1zlmkzi80-b2fbbf --plan 9f2c4b7d1a3e5c6f8091a2b3c4d5e6f7',
      'apply a held plan',
    ],
  ],
};

const reject: CliAction = {
  name: 'reject',
  summary: 'reject the plan of a held run',
  arguments: [{ name: '[run]', help: 'id of the held run; default: the newest one' }],
  run: async ({ path, args, request, id: connector }) => {
    const id = args[0] ?? ConnectorView.parse(await request('GET', path)).held_run;
    if (id === null)
      return { note: `No run of ${connector} is held.\n`, sections: [], isFailure: true };
    RunView.parse(await request('POST', `${path}/runs/${id}/reject`));
    return { note: `Rejected ${id}.\n`, sections: [], quiet: [id] };
  },
  examples: [['rollgate connector reject acme bamboo-eu', 'the newest held run']],
};

/** Waits for the end of a run that was cancelled. */
const cancelled = async (call: CliCall, run: RunView, done: string): Promise<CliResult> => {
  const ended = await follow(call, run);
  return { note: `${done}\n`, sections: runSections(ended), quiet: [ended.id] };
};

const cancel: CliAction = {
  name: 'cancel',
  summary: 'cancel a run in progress',
  description:
    'Stop a run, and show what it has done. Users who were changed stay changed; the next run ' +
    'continues from there.',
  arguments: [{ name: '[run]', help: 'id of the run; default: the run in progress' }],
  run: async (call) => {
    const { path, request, args, id: connector } = call;
    const id = args[0] ?? ConnectorView.parse(await request('GET', path)).open_run;
    if (id === null)
      return { note: `No run of ${connector} is in progress.\n`, sections: [], isFailure: true };
    const run = RunView.parse(await request('POST', `${path}/runs/${id}/cancel`));
    return cancelled(call, run, `Cancelled ${id}.`);
  },
  examples: [['rollgate connector cancel acme bamboo-eu', 'the run in progress']],
};

const check: CliAction = {
  name: 'check',
  summary: 'check that the source of a connector can be read',
  run: async ({ path, request }) => {
    const { ok, kind, message } = z
      .object({ ok: z.boolean(), kind: z.string().nullable(), message: z.string() })
      .parse(await request('POST', `${path}/check`));
    return {
      sections: [{ text: `${ok ? 'OK' : `FAIL (${kind ?? 'unknown'})`}: ${message}\n` }],
      isFailure: !ok,
    };
  },
  examples: [['rollgate connector check acme bamboo-eu', 'sign in and read a little']],
};

const discover: CliAction = {
  name: 'discover',
  summary: 'list the fields of a source, for writing mappings',
  run: async ({ path, request }) => {
    const { fields } = z
      .object({
        fields: z.array(
          z.object({ path: z.string(), title: z.string().nullable(), type: z.string().nullable() }),
        ),
      })
      .parse(await request('GET', `${path}/fields`));
    return {
      sections: [
        {
          columns: [{ title: 'path' }, { title: 'title' }, { title: 'type' }],
          rows: fields.map((field) => [field.path, field.title, field.type]),
        },
      ],
      quiet: fields.map((field) => field.path),
    };
  },
  examples: [['rollgate connector discover acme bamboo-eu', 'all fields']],
};

const shown = (value: unknown): string | null => {
  const text = valueText(value);
  return text === '-' ? null : text;
};

/** In the words of the command: what only remembers something changes no user. */
const actionOf = (kind: ItemView['kind']): string => (kind === 'touch' ? 'change nothing' : kind);

/** One record: the source beside the user, and what a run would do. */
const recordSections = (record: MappingPreview['records'][number]): readonly CliSection[] => [
  {
    columns: [
      { title: 'source field', wrapAt: 32 },
      { title: 'value', wrapAt: 40 },
    ],
    rows: record.fields.map(({ path, value }) => [path, shown(value)]),
  },
  {
    columns: [
      { title: 'attribute' },
      { title: 'from', wrapAt: 24 },
      { title: 'value', wrapAt: 40 },
      { title: 'problem', wrapAt: 48 },
    ],
    rows: record.rules
      .filter(({ value, problem }) => value !== null || problem !== null)
      .map(({ target, from, value, problem }) => [
        target,
        from.join(', ') || null,
        shown(value),
        problem,
      ]),
  },
  {
    fields: [
      ['record', record.record],
      [
        'existing user',
        record.user &&
          `${record.user.name} (${record.user.id}${record.user.active ? '' : ', inactive'})`,
      ],
      [
        'a run would',
        record.problem === null ? actionOf(record.plan?.kind ?? 'touch') : 'quarantine it',
      ],
      ['why', record.problem ?? record.why],
      ...(record.plan
        ? [...changeLines(record.plan), ...record.plan.warnings].map(
            (line, at) => [at === 0 ? 'changes' : '', line] as const,
          )
        : []),
    ],
  },
];

const preview: CliAction = {
  name: 'preview',
  summary: 'show what single records become, beside the users that exist',
  description:
    'Read records by their id in the source, or the first one, map them, and show the fields beside ' +
    'the user that results, the existing user and the differences. No run starts, and nothing is ' +
    'changed. Secrets and phone numbers are masked. Exits with 1 if a record cannot be used.',
  options: [{ ...RECORD_OPTION, field: 'ids' }],
  run: async ({ path, request, fields: { ids } }) => {
    const { records, problems } = MappingPreview.parse(
      await request('POST', `${path}/mapping/preview`, {
        body: Array.isArray(ids) ? { ids } : { limit: 1 },
      }),
    );
    return {
      sections: [
        ...records.flatMap(recordSections),
        ...problems.map(({ path: at, message }) => ({ text: `! ${at}: ${message}\n` })),
        ...(records.length + problems.length === 0
          ? [{ text: 'The source has no records.\n' }]
          : []),
      ],
      quiet: records.map(({ record }) => record),
      isFailure: records.length === 0 || records.some(({ problem }) => problem !== null),
    };
  },
  examples: [
    ['rollgate connector preview acme bamboo-eu --id 4711', 'one person'],
    ['rollgate connector preview acme bamboo-eu --id 4711 -o json', 'for scripts'],
  ],
};

const quarantine: CliAction = {
  name: 'quarantine',
  summary: 'list records that failed and wait for another try',
  description: 'List up to 500 records that failed, why, and when each is tried again.',
  run: async ({ path, request }) => {
    const { records } = QuarantinePage.parse(
      await request('GET', `${path}/quarantine`, { query: { limit: PAGE } }),
    );
    return {
      sections: [
        {
          columns: [
            { title: 'record' },
            { title: 'who', wrapAt: 24 },
            { title: 'reason', wrapAt: 60 },
            { title: 'failures', align: 'right' },
            { title: 'next try' },
          ],
          rows: records.map((one) => [
            one.record,
            one.name,
            `${one.code}: ${one.message}`,
            String(one.failures),
            one.is_ignored ? 'ignored' : stamp(one.next_at),
          ]),
        },
      ],
      quiet: records.map(({ record }) => record),
    };
  },
  examples: [['rollgate connector quarantine acme bamboo-eu', 'with reasons']],
};

const forRecord = (name: 'retry' | 'ignore', summary: string): CliAction => ({
  name,
  summary,
  arguments: [{ name: '<record>', help: 'id of the record in the source' }],
  run: async ({ path, args: [record = ''], request }) => {
    await request('POST', `${path}/quarantine/${name}`, { body: { record } });
    const done = name === 'retry' ? `The next run tries ${record} again.` : `Ignored ${record}.`;
    return { note: `${done}\n`, sections: [], quiet: [record] };
  },
  examples: [[`rollgate connector ${name} acme bamboo-eu 4711`, 'by its id in the source']],
});

const pause: CliAction = {
  name: 'pause',
  summary: 'pause the schedule of a connector, and cancel its run in progress',
  run: async (call) => {
    const { path, id, request } = call;
    const { open_run: open } = ConnectorView.parse(await request('POST', `${path}/pause`));
    if (open === null) return { note: `Paused ${id}.\n`, sections: [], quiet: [id] };
    const run = RunView.parse(await request('GET', `${path}/runs/${open}`));
    return cancelled(call, run, `Paused ${id} and cancelled ${open}.`);
  },
  examples: [['rollgate connector pause acme bamboo-eu', 'no further run by schedule']],
};

const resume: CliAction = {
  name: 'resume',
  summary: 'resume a connector that is paused or in quarantine',
  run: async ({ path, id, request }) => {
    await request('POST', `${path}/resume`);
    return { note: `Resumed ${id}.\n`, sections: [], quiet: [id] };
  },
  examples: [['rollgate connector resume acme bamboo-eu', 'by its schedule again']],
};

/** `rollgate connector …` */
export const COMMANDS = [
  defineCliResource<ConnectorView>({
    name: 'connector',
    noun: 'a connector',
    plural: 'connectors',
    summary: 'run and watch connectors, and approve what they plan',
    description:
      'Connectors: HR systems and directories whose people become users. They are configured in the ' +
      'settings file, in the section "connectors". A run whose plan is unusual is held until it is ' +
      'approved. Records that fail are in quarantine, and tried again.',
    path: '/connectors',
    page: '/connectors',
    items: 'connectors',
    view: ConnectorView,
    fields: [
      { label: 'name', text: ({ name }) => name },
      { label: 'source', text: ({ title }) => title },
      { label: 'state', text: ({ state }) => state },
      {
        label: 'message',
        text: ({ message, state, is_paused: isPaused }) =>
          isPaused && state !== 'paused' ? `${message ?? ''} Its schedule is paused.` : message,
        wrapAt: 40,
      },
      {
        label: 'tried against',
        text: ({ tried_against: tried }) =>
          tried === 'description'
            ? 'simulated servers only'
            : tried === 'server'
              ? 'the real software'
              : null,
      },
      { label: 'last success', time: ({ last_success_at: at }) => at },
      {
        label: 'last run',
        text: ({ last_run: id, last_run_state: state }) => id && `${id} (${state ?? ''})`,
        only: 'show',
      },
      { label: 'next full read', time: ({ next_full_at: at }) => at, only: 'show' },
      { label: 'next delta', time: ({ next_delta_at: at }) => at, only: 'show' },
      {
        label: 'in quarantine',
        text: ({ quarantined_records: count }) => String(count),
        align: 'right',
      },
      {
        label: 'deferred',
        text: ({ deferred }) =>
          deferred.map(({ record, name, why }) => `${record} (${name}): ${why}`).join('\n') ||
          'none',
        only: 'show',
      },
    ],
    id: ({ name }) => name,
    label: ({ name }) => name,
    item: { name: '<connector>', help: 'name of the connector in the settings file' },
    list: {
      description: 'List the connectors of a tenant and their state.',
      examples: [['rollgate connector list acme', 'all connectors']],
    },
    show: { examples: [['rollgate connector show acme bamboo-eu', 'state and schedule']] },
    actions: [
      check,
      discover,
      preview,
      plan,
      run,
      runs,
      report,
      approve,
      reject,
      cancel,
      quarantine,
      forRecord('retry', 'try a record in quarantine again with the next run'),
      forRecord('ignore', 'ignore a record in quarantine until it changes'),
      pause,
      resume,
    ],
  }),
];
