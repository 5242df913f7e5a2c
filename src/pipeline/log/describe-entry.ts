import { kindInWords, verbOf } from '../../domain/command-words.js';
import type { CommandLogEntry } from '../commit-store.js';

/** `the group "Dispatch"`; without an id: those are for programs. */
const subjectOf = ({ subject }: CommandLogEntry): string => {
  if (!subject) return 'something';
  const kind =
    subject.kind === 'role_mapping' ? 'role mapping of the group' : kindInWords(subject.kind);
  return subject.name === null ? `a ${kind}` : `the ${kind} "${subject.name}"`;
};

/** `create the user "ada@example.com"` */
export const taskOf = (entry: CommandLogEntry): string => `${verbOf(entry)[1]} ${subjectOf(entry)}`;

const INTERFACES: Readonly<Record<CommandLogEntry['source'], string>> = {
  scim: ' over SCIM',
  rest: ' over the REST API',
  admin: " over the operators' API",
  cli: ' on the command line',
  dashboard: ' in the dashboard',
  connector: '',
  system: '',
};

const interfaceOf = ({ source }: CommandLogEntry): string => INTERFACES[source];

/** `the API key "Okta"` */
const actorOf = ({ actor, actorName, source }: CommandLogEntry): string => {
  if (source === 'system') return 'the gateway';
  const [kind, rest] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  const name = actorName ?? rest;
  if (kind === 'operator') return name === 'admin-token' ? 'the admin token' : `operator ${name}`;
  return `the ${kind === 'api-key' ? 'API key' : kind} "${name}"`;
};

/** `added the user to the group "Dispatch"`; undefined: it did not change that membership, or not alone. */
const memberChangeIn = (entry: CommandLogEntry, userId: string): string | undefined => {
  const path = `members[${userId}].tx_permission`;
  const change = entry.changes.find((one) => one.path.endsWith(path));
  if (!change || entry.subject?.kind === 'user') return undefined;
  if (change.before === null) return `added the user to ${subjectOf(entry)}`;
  if (change.after === null) return `removed the user from ${subjectOf(entry)}`;
  return `${change.after === true ? 'let the user transmit' : 'stopped the user from transmitting'} in ${subjectOf(entry)}`;
};

/** `by the API key "Okta" over SCIM` */
export const authorOf = (entry: CommandLogEntry): string =>
  `by ${actorOf(entry)}${interfaceOf(entry)}`;

/** A last sentence for clients: the reader of the log is the operator. */
const TO_CLIENT = /\s[^."]*\bask your operator\b[^.]*\.$/i;

const isRefused = ({ outcome }: CommandLogEntry): boolean =>
  outcome === 'refused' || outcome === 'failed';

/** `, leaving out 2 unknown members` */
const skippedIn = ({ skipped }: CommandLogEntry): string => {
  if (!skipped) return '';
  return `, leaving out ${skipped.count === 1 ? 'an unknown member' : `${skipped.count} unknown members`}`;
};

/** `the API key "Okta" created the group "Dispatch" over SCIM`, or what it tried and why it was refused. */
export const describeEntry = (
  entry: CommandLogEntry,
  /** What it did to this member is said rather than what it did to the group. */
  userId = '',
): string => {
  const [past] = verbOf(entry);
  const { refusal } = entry;
  if (!isRefused(entry)) {
    const ofMember = memberChangeIn(entry, userId);
    if (ofMember !== undefined) return `${actorOf(entry)} ${ofMember}${interfaceOf(entry)}`;
    const result = entry.outcome === 'no-op' ? ', which changed nothing' : '';
    return `${actorOf(entry)} ${past} ${subjectOf(entry)}${interfaceOf(entry)}${skippedIn(entry)}${result}`;
  }
  const why = refusal
    ? ` (${refusal.code}): ${refusal.message.replace(TO_CLIENT, '').replace(/\.$/, '')}`
    : '';
  return `${actorOf(entry)} tried to ${taskOf(entry)}${interfaceOf(entry)} and was refused${why}`;
};
