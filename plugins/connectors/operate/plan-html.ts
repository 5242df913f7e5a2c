import { decisionCommands, type ItemView, type RunView } from './views.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);

/** `-` for no value. */
export const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .map((item: unknown) =>
        typeof item === 'object' && item !== null && 'value' in item
          ? valueText(item.value)
          : valueText(item),
      )
      .join(', ');
  return JSON.stringify(value);
};

/** What changes, one line each: `title: Driver → Dispatcher`. */
export const changeLines = ({ changes, groups, manager }: ItemView): readonly string[] => [
  ...changes.map(
    ({ attribute, before, after }) => `${attribute}: ${valueText(before)} → ${valueText(after)}`,
  ),
  ...groups.map(({ op, name }) => `${op === 'add' ? 'joins' : 'leaves'} ${name}`),
  ...(manager === undefined ? [] : [`manager: ${manager ?? '-'}`]),
];

/** People with the same kind of change, under one heading. */
interface Group {
  readonly id: string;
  readonly title: string;
  readonly has: (item: ItemView) => boolean;
}

const of =
  (...kinds: readonly ItemView['kind'][]) =>
  ({ kind }: ItemView): boolean =>
    kinds.includes(kind);

/** An item is in the first group that has it. */
const GROUPS: readonly Group[] = [
  {
    id: 'problems',
    title: 'Problems',
    has: ({ outcome, warnings }) =>
      outcome === 'failed' || outcome === 'stale' || warnings.length > 0,
  },
  { id: 'leavers', title: 'Leavers', has: of('deactivate') },
  { id: 'missing', title: 'Missing in the source', has: of('missing') },
  { id: 'deferred', title: 'Ended, but claimed by another record', has: of('deferred') },
  { id: 'joiners', title: 'Joiners', has: of('create', 'reactivate') },
  { id: 'matched', title: 'Matched with users that exist', has: of('link', 'relink') },
  {
    id: 'memberships',
    title: 'Memberships only',
    has: ({ kind, changes, groups, manager }) =>
      kind === 'update' && changes.length === 0 && manager === undefined && groups.length > 0,
  },
  { id: 'movers', title: 'Changed attributes', has: of('update') },
  { id: 'later', title: 'Later', has: () => true },
];

const groupOf = (item: ItemView): string => GROUPS.find(({ has }) => has(item))?.id ?? 'later';

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}' +
  'table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;' +
  'padding:.35rem .6rem;border-bottom:1px solid #ccc}.deactivate,.missing{background:#fdecea}' +
  '.create{background:#edf7ed}code{word-break:break-all}.finding{font-weight:600;color:#a11}' +
  'label{display:inline-block;margin:0 1rem .5rem .3rem}@media print{input,label{display:none}}' +
  // A filter without a script: an unchecked box hides its section, which comes after it.
  GROUPS.map(({ id }) => `#show-${id}:not(:checked)~#${id}{display:none}`).join('');

const people = (count: number): string => (count === 1 ? '1 person' : `${count} people`);

/** Of the kinds of changes, what happens to how many people. */
const SENTENCES: readonly (readonly [kinds: readonly ItemView['kind'][], verb: string])[] = [
  [['create'], 'will get an account'],
  [['reactivate'], 'will get their account back'],
  [['link', 'relink'], 'will be matched with users that exist'],
  [['update'], 'will be changed'],
  [['deactivate'], 'will lose their access'],
  [['missing'], 'can no longer be found in the source; they keep their access for now'],
  [
    ['deferred'],
    'have ended in the source, but another record claims them; they keep their access for now',
  ],
  [['future'], 'will join later'],
];

/**
 * The plan in words: `12 people will be changed. 1 person will lose their access.`
 *
 * @internal
 */
export const planInWords = ({ planned, unchanged, connector, tenant }: RunView): string => {
  const sentences = SENTENCES.flatMap(([kinds, verb]) => {
    const count = kinds.reduce((sum, kind) => sum + (planned[kind] ?? 0), 0);
    return count === 0 ? [] : [`${people(count)} ${verb}.`];
  });
  const text = sentences.length === 0 ? 'Nobody is changed.' : sentences.join(' ');
  return `The connector ${connector} read the source of ${tenant}: ${text} ${people(unchanged)} stay as they are.`;
};

type First = NonNullable<NonNullable<RunView['plan']>['first']>;

/** Of the first plan of a connector: who exists already, who is new, and who exists only here. */
const firstPlan = ({ matched, new: created, only_here: count }: First): string =>
  `<p>First plan: ${people(matched)} matched with users that exist, ${created} new, ${count} only here.` +
  (matched === 0 && count > 0
    ? ' No record matches an existing user. If people are in both, check the rules that match them ' +
      'before you approve.'
    : '') +
  '</p>';

const onlyHere = ({ only_here: count, only_here_users: users }: First): readonly string[] =>
  count === 0
    ? []
    : [
        `<h2>Only here (${count})</h2>`,
        '<p>The source has no record of these active users. Runs of this connector leave them alone.</p>',
        `<ul>${users.map(({ name }) => `<li>${escape(name)}</li>`).join('')}</ul>`,
        ...(count > users.length
          ? [`<p>The first ${users.length} of ${count} are listed.</p>`]
          : []),
      ];

const rowOf = (item: ItemView): string =>
  `<tr class="${escape(item.kind)}"><td>${escape(item.kind)}</td>` +
  `<td>${escape(item.name)}<br><small>${escape(item.record)}</small></td>` +
  `<td>${[...changeLines(item), ...item.warnings, ...(item.message === null ? [] : [item.message])]
    .map(escape)
    .join('<br>')}</td>` +
  `<td>${escape(item.why)}</td></tr>`;

const HEAD =
  '<table><thead><tr><th>Action</th><th>Who</th><th>Before → after</th><th>Why</th></tr></thead><tbody>';

/**
 * A page without scripts or references, to be sent to the person who approves the plan: a summary in
 * words, and the people by kind of change, each kind with a box that hides it.
 */
export const planPage = (run: RunView, items: readonly ItemView[]): string => {
  const title = `Plan of ${run.connector} for ${run.tenant}`;
  const first = run.plan?.first;
  const shown = GROUPS.flatMap(({ id, title: heading }) => {
    const inGroup = items.filter((item) => groupOf(item) === id);
    return inGroup.length === 0 ? [] : [{ id, heading, items: inGroup }];
  });
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    `<title>${escape(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escape(title)}</h1>`,
    `<p>${escape(planInWords(run))}</p>`,
    ...(run.plan?.findings ?? []).map(({ message }) => `<p class="finding">${escape(message)}</p>`),
    ...(first ? [firstPlan(first)] : []),
    `<p>Run <code>${escape(run.id)}</code>, ${escape(run.mode)}, ${escape(run.created_at)}: ` +
      `${run.read} records read.</p>`,
    ...decisionCommands(run).map((command) => `<p><code>${escape(command)}</code></p>`),
    ...(shown.length > 1
      ? shown.map(
          ({ id, heading, items: { length } }) =>
            `<input type="checkbox" id="show-${id}" checked><label for="show-${id}">${heading} (${length})</label>`,
        )
      : []),
    ...shown.flatMap(({ id, heading, items: inGroup }) => [
      `<section id="${id}"><h2>${heading} (${inGroup.length})</h2>`,
      HEAD,
      ...inGroup.map(rowOf),
      '</tbody></table></section>',
    ]),
    ...(first ? onlyHere(first) : []),
    '</body></html>',
    '',
  ].join('\n');
};
