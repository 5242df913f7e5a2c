import type { Attention, JsonObject } from '../../src/plugin/api.js';

/** Something to look at, of a tenant. */
export interface Item {
  readonly tenant: { readonly slug: string; readonly name: string };
  readonly severity: Attention['severity'];
  readonly code: string;
  readonly message: string;
  readonly action: string;
  readonly link: string | null;
}

/** What is sent to a target at once. */
export interface Digest {
  /** The same in every attempt. */
  readonly id: string;
  readonly rule: string;
  readonly createdAt: string;
  readonly items: readonly Item[];
  /** Further items that are not named. */
  readonly more: number;
}

const count = ({ items, more }: Digest): number => items.length + more;

/** Without line breaks, of texts that may be names of users or of sources. */
const line = (text: string): string => text.replace(/\s+/g, ' ').trim();

const pageOf = (home: string, { tenant, link }: Item): string =>
  `${home}/dashboard/t/${encodeURIComponent(tenant.slug)}${link === null ? '' : `/${link}`}`;

/** `Rollgate: acme: A run of the connector … waits for approval.`, or how many there are. */
export const subjectOf = (digest: Digest): string => {
  const [first] = digest.items;
  if (first === undefined) return 'Rollgate: test notification';
  const text =
    count(digest) === 1
      ? `${first.tenant.slug}: ${first.message}`
      : `${count(digest)} things to look at, rule ${digest.rule}`;
  const subject = `Rollgate: ${line(text)}`;
  return subject.length > 150 ? `${subject.slice(0, 149)}…` : subject;
};

const INTRODUCTION = 'This is a test notification. It says that notifications reach you.';

const rest = ({ more }: Digest): readonly string[] =>
  more === 0 ? [] : [`And ${more} more: see the home pages of the tenants.`];

export const textOf = (digest: Digest, home: string): string =>
  [
    ...(digest.items.length === 0 ? [INTRODUCTION] : []),
    ...digest.items.map((item) =>
      [
        `${item.severity.toUpperCase()} · ${line(item.tenant.name)} (${item.tenant.slug})`,
        line(item.message),
        line(item.action),
        pageOf(home, item),
      ].join('\n'),
    ),
    ...rest(digest),
    `Rule ${digest.rule} of ${home}`,
  ].join('\n\n') + '\n';

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const COLOURS: Readonly<Record<Attention['severity'], string>> = {
  error: '#b3261e',
  warning: '#8a5a00',
  info: '#1f5fa8',
};

/** Styles are in the elements: mail programs drop style sheets. */
export const htmlOf = (digest: Digest, home: string): string =>
  [
    '<!doctype html><html lang="en"><body style="font:15px/1.5 sans-serif">',
    ...(digest.items.length === 0 ? [`<p>${INTRODUCTION}</p>`] : []),
    ...digest.items.map(
      (item) =>
        `<p style="border-left:4px solid ${COLOURS[item.severity]};padding-left:12px">` +
        `<small>${escapeHtml(`${line(item.tenant.name)} (${item.tenant.slug})`)}</small><br>` +
        `<strong>${escapeHtml(line(item.message))}</strong><br>${escapeHtml(line(item.action))}<br>` +
        `<a href="${escapeHtml(pageOf(home, item))}">Open in the dashboard</a></p>`,
    ),
    ...rest(digest).map((text) => `<p>${text}</p>`),
    `<p><small>Rule ${escapeHtml(digest.rule)} of ${escapeHtml(home)}</small></p></body></html>`,
  ].join('\n');

/** Of Slack's three control characters (docs.slack.dev, Formatting message text). */
const escapeSlack = (text: string): string =>
  line(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A message has up to 50 blocks. */
const MAX_BLOCKS = 45;
/** The text of a section has up to 3,000 characters. */
const MAX_SECTION = 2_900;

const ICONS: Readonly<Record<Attention['severity'], string>> = {
  error: ':red_circle:',
  warning: ':large_yellow_circle:',
  info: ':large_blue_circle:',
};

const section = (text: string): JsonObject => ({
  type: 'section',
  // Slack would make links and mentions of words of a message.
  text: { type: 'mrkdwn', text: text.slice(0, MAX_SECTION), verbatim: true },
});

/** A message for an incoming webhook of Slack, and of what understands the same. */
export const slackMessageOf = (digest: Digest, home: string): JsonObject => {
  const shown = digest.items.slice(0, MAX_BLOCKS);
  const further = rest({ ...digest, more: count(digest) - shown.length });
  return {
    text: escapeSlack(subjectOf(digest)),
    blocks: [
      ...(shown.length === 0 ? [section(INTRODUCTION)] : []),
      ...shown.map((item) =>
        section(
          `${ICONS[item.severity]} *${escapeSlack(item.message)}*\n${escapeSlack(item.action)}\n` +
            `<${pageOf(home, item)}|Open in the dashboard> · ${escapeSlack(item.tenant.name)}`,
        ),
      ),
      ...further.map(section),
    ],
  };
};

/** The body for a webhook. */
export const webhookBodyOf = (digest: Digest, home: string): JsonObject => ({
  id: digest.id,
  type: digest.items.length === 0 ? 'notification.test' : 'notification.digest',
  timestamp: digest.createdAt,
  rule: digest.rule,
  items: digest.items.map((item) => ({
    tenant: { ...item.tenant },
    severity: item.severity,
    code: item.code,
    message: item.message,
    action: item.action,
    url: pageOf(home, item),
  })),
  more: digest.more,
});
