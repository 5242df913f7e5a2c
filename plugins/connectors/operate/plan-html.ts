import type { ItemView, RunView } from './views.js';

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
  'padding:.35rem .6rem;border-bottom:1px solid #ccc}.deactivate,.missing{background:#fdecea}' +
  '.create{background:#edf7ed}code{word-break:break-all}.finding{font-weight:600;color:#a11}';

/** A page without scripts or references, to be sent to the person who approves the plan. */
export const planPage = (run: RunView, items: readonly ItemView[]): string => {
  const title = `Plan of ${run.connector} for ${run.tenant}`;
  const rows = items.map(
    (item) =>
      `<tr class="${escape(item.kind)}"><td>${escape(item.kind)}</td>` +
      `<td>${escape(item.name)}<br><small>${escape(item.record)}</small></td>` +
      `<td>${[...changeLines(item), ...item.warnings].map(escape).join('<br>')}</td>` +
      `<td>${escape(item.why)}</td></tr>`,
  );
  const counts = Object.entries(run.planned)
    .filter(([kind]) => kind !== 'touch')
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    `<title>${escape(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escape(title)}</h1>`,
    `<p>Run <code>${escape(run.id)}</code>, ${escape(run.mode)}, ${escape(run.created_at)}: ` +
      `${run.read} records read, ${run.unchanged} unchanged; ${escape(counts || 'nothing to do')}.</p>`,
    ...(run.plan?.findings ?? []).map(({ message }) => `<p class="finding">${escape(message)}</p>`),
    ...(run.plan
      ? [
          `<p>To approve exactly this plan:<br><code>rollgate connector approve ${escape(run.tenant)} ` +
            `${escape(run.connector)} ${escape(run.id)} --plan ${escape(run.plan.digest)}</code></p>`,
        ]
      : []),
    '<table><thead><tr><th>Action</th><th>Who</th><th>Before → after</th><th>Why</th></tr></thead><tbody>',
    ...rows,
    '</tbody></table></body></html>',
    '',
  ].join('\n');
};
