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

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}' +
  'table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;' +
  'padding:.35rem .6rem;border-bottom:1px solid #ccc}code{word-break:break-all}' +
  '.finding,.failed,.stale{font-weight:600;color:#a11}summary{cursor:pointer}h2{font-size:1.1rem}';

const tableOf = (items: readonly ItemView[]): readonly string[] => [
  '<table><thead><tr><th>Who</th><th>Before → after</th><th>Why</th></tr></thead><tbody>',
  ...items.map(rowOf),
  '</tbody></table>',
];

const rowOf = (item: ItemView): string =>
  `<tr class="${escape(item.outcome)}"><td>${escape(item.name)}<br><small>${escape(item.record)}</small></td>` +
  `<td>${[...changeLines(item), ...item.warnings, ...(item.message === null ? [] : [item.message])]
    .map(escape)
    .join('<br>')}</td>` +
  `<td>${escape(item.why)}</td></tr>`;

/**
 * A page without scripts or references, to be sent to the person who approves the plan: what it does, in
 * sentences. Each opens the list of its people.
 */
export const planPage = (run: RunView, items: readonly ItemView[]): string => {
  const title = `Plan of ${run.connector} for ${run.tenant}`;
  const { only_here_users: onlyHere = [] } = run.plan?.first ?? {};
  const listed = new Set<string>();
  /** Two sentences may be about the same class. */
  const peopleOf = (of: string | null): readonly ItemView[] => {
    if (of === null || listed.has(of)) return [];
    listed.add(of);
    return items.filter((item) => item.class === of);
  };
  const lineOf = ({ class: of, text }: RunView['outlook'][number]['lines'][number]): string => {
    const people = peopleOf(of);
    return people.length === 0
      ? `<p>${escape(text)}</p>`
      : [`<details><summary>${escape(text)}</summary>`, ...tableOf(people), '</details>'].join(
          '\n',
        );
  };
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    `<title>${escape(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escape(title)}</h1>`,
    ...(run.plan?.findings ?? []).map(({ message }) => `<p class="finding">${escape(message)}</p>`),
    `<p>Run <code>${escape(run.id)}</code>, ${escape(run.mode)}, ${escape(run.created_at)}: ` +
      `${run.read} records read.</p>`,
    ...decisionCommands(run).map((command) => `<p><code>${escape(command)}</code></p>`),
    ...run.outlook.flatMap((part) => [`<h2>${part.title}</h2>`, ...part.lines.map(lineOf)]),
    ...(onlyHere.length === 0
      ? []
      : [
          `<details><summary>The first ${onlyHere.length} who are only here</summary><ul>`,
          ...onlyHere.map(({ name }) => `<li>${escape(name)}</li>`),
          '</ul></details>',
        ]),
    '</body></html>',
    '',
  ].join('\n');
};
