import { MANAGER, profileValue } from '../../../plugins/connectors/mapping/attributes.js';
import type { RunMode, RunRecord } from '../../../plugins/connectors/run/run-record.js';
import { appliedIn } from '../../../plugins/connectors/uploads/upload-cursor.js';
import type { SnapshotStep } from '../../../plugins/connectors/uploads/upload-store.js';
import type { JsonObject, UserId } from '../../../src/plugin/api.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import { ConnectorWorld, NAME } from '../../support/connector-world.js';

/**
 * A company whose people are hired, marry, leave and return, and whose HR system exports them. What a
 * connector may do follows from the lives alone, whatever its rules are: everyone who works has an
 * account of their own, no one who has left has access, and no account changes hands. Otherwise the run
 * must be held, or the person listed for an operator.
 */

/** A line of the export. Days are `yyyy-MM-dd`. */
interface Row {
  readonly id: string;
  readonly mail: string;
  readonly first: string;
  readonly last: string;
  readonly dept: string;
  /** The record of the manager. */
  readonly boss?: string;
  /** The employee number: it stays for life. Half of the people have one. */
  readonly staff?: string;
  readonly status?: 'left';
  readonly start?: string;
  readonly end?: string;
}

interface Person {
  readonly number: number;
  /** The lines about them; after a second contract two. */
  rows: Row[];
  /** Addresses that were theirs, typing mistakes included. */
  readonly mails: Set<string>;
  /** Full reads in a row without a line about them. */
  missedReads: number;
  /** Whether a read has reported that they have left. */
  isLeavingReported: boolean;
  /** Full reads in a row with the same record ids. */
  sameIdReads: number;
}

/** At which operation the gateway is killed, or its whole process group asked to stop. */
type End = readonly [stopAt?: number, how?: 'kill' | 'signal'];

/** With which ids the people of a faulty export come; they are right, in their order. */
export const FAULTY_IDS = ['same', 'new', 'half new'] as const;
/** What goes wrong with all people of an export. */
export const DAMAGES = [
  ...(['none', 'departments gone', 'managers gone', 'addresses shifted'] as const),
  ...(['names swapped', 'last days gone'] as const),
] as const;
/** And with just as many as need an approval. */
export const PART_DAMAGES = ['departments gone', 'addresses shifted', 'have left'] as const;
export interface SourceFault {
  readonly ids: (typeof FAULTY_IDS)[number];
  readonly damage: (typeof DAMAGES | typeof PART_DAMAGES)[number];
  readonly isPart?: boolean;
}

/** What happens in the lives of people, by their number; numbers wrap around. */
export type LifeEvent =
  | Change
  | readonly ['days', count: number]
  | readonly ['export', mode: 'full' | 'delta' | 'dates', ...End]
  | readonly ['fault', fault: SourceFault]
  /** How many more people may be active; null: there is no limit. */
  | readonly ['seats', free: number | null]
  /** In one export, someone has the family name and the address of a colleague; null: who joins. */
  | readonly ['mix-up', colleague: number, relative: number | null, Meanwhile];
/** What a colleague does meanwhile. */
type Meanwhile = 'stays' | 'gets another id' | 'leaves' | 'gives it away and leaves';

/** What the next export says. */
type Change =
  | readonly ['hire', recycledFrom: number | null]
  /** With the address of a colleague, by mistake. */
  | readonly ['hire as', colleague: number]
  | readonly ['leave', person: number, how: 'status' | 'end' | 'gone']
  | readonly ['notice', person: number, days: number]
  | readonly ['return', person: number]
  /** Under another id; from a later day, who works now has no line until then. */
  | readonly ['rehire', person: number, inDays: number]
  | readonly ['renumber', person: number]
  /** Both names and the record id, but not the employee number. */
  | readonly ['new name', person: number]
  /** To the other source. */
  | readonly ['transfer', person: number]
  | readonly ['second contract', person: number, where: 'here' | 'there']
  | readonly ['contract ends', person: number, which: 'first' | 'last']
  | readonly ['marry', person: number]
  | readonly ['typo', person: number]
  | readonly ['give address away', person: number]
  | readonly ['swap addresses', person: number, other: number]
  | readonly ['move', person: number, department: number]
  | readonly ['manager', person: number, boss: number];

const DAY_MS = 86_400_000;
const MISSING_READS = 2;
/** Longer than a lease of a connector. */
const LEASE_MS = 16_000;

const MAPPING = {
  userName: { path: 'mail', required: true },
  email: 'mail',
  externalId: 'id',
  'name.givenName': 'first',
  'name.familyName': 'last',
  title: 'dept',
  'enterprise.employeeNumber': 'staff',
  manager: 'boss',
} as const;
/** Fields that an upload removes, if the line has none. */
const NO_FIELDS = { boss: null, staff: null, status: null, start: null, end: null };

const byOwner = (one: { readonly number: number }, other: { readonly number: number }): number =>
  one.number - other.number;

/** The second source exports the people whose record ids begin with this letter. */
const SECOND = 'S';
const isSecond = (id: string): boolean => id.startsWith(SECOND);
const sourceOf = ({ id }: Pick<Row, 'id'>, where: 'here' | 'there') =>
  isSecond(id) === (where === 'here') ? 'second' : 'first';

export class Company {
  readonly #world: ConnectorWorld;
  /** Two connectors of one tenant. */
  readonly #worlds: readonly [ConnectorWorld, ConnectorWorld];
  readonly #people: Person[] = [];
  /** Who an account was created for, by user id. */
  readonly #owners = new Map<UserId, Person>();
  /** Records that have had an account. */
  readonly #linked = new Set<string>();
  /** Who a record id stands for. */
  readonly #records = new Map<string, Person>();
  #exported = new Map<string, Row>();
  /** The last export without a fault. */
  #truthRead: readonly Row[] = [];
  /** People whose lines are all gone since the export before, though another may have come. */
  #deleted: ReadonlySet<Person> = new Set();
  /** The last day on which a run has looked at dates. */
  #datesOn = '';
  /** Since when deactivations wait, by record. */
  #deferredSince: ReadonlyMap<string, number> = new Map();
  /** The active users of the first source, and when each was active last. */
  #active: readonly UserId[] = [];
  readonly #lastActive = new Map<UserId, number>();
  #ids = 0;
  #typos = new Map<Person, string>();
  /** Held runs, and people who were listed for an operator: what took a person's time. */
  readonly needs = new Set<string>();

  private constructor(isPushed: boolean) {
    const { externalId: _id, ...rest } = MAPPING;
    const connector = {
      // The record id matches only its own account; without it, addresses decide.
      mapping: isPushed ? rest : MAPPING,
      lifecycle: { start: 'start', end: 'end', status: { path: 'status', inactive: ['left'] } },
    };
    this.#world = new ConnectorWorld({}, connector);
    const beside = { world: this.#world, name: 'second' };
    const deltas = { reportsDeletions: false };
    const second = isPushed ? { ...connector, deltas, receivesUploads: true as const } : connector;
    this.#worlds = [this.#world, new ConnectorWorld({}, second, {}, beside)];
  }

  /**
   * A company of this size, in which this happens after its first run; the last export is a complete one.
   * The second source is read, or pushes what it has.
   */
  static async live(
    size: number,
    events: readonly LifeEvent[],
    isPushed = false,
  ): Promise<Company> {
    const company = new Company(isPushed);
    for (let at = 0; at < size; at += 1) company.#hire(null);
    for (const person of company.#people.slice(1))
      company.#edit(person, { boss: company.#people[0]?.rows[0]?.id ?? '' });
    await company.#export('full');
    for (const event of events) await company.#live(event);
    await company.#export('full');
    return company;
  }

  get lives(): number {
    return this.#people.length;
  }

  async #live(event: LifeEvent): Promise<void> {
    switch (event[0]) {
      case 'export':
        return this.#export(event[1], event[2], event[3]);
      case 'mix-up': {
        const relative = event[2] === null ? null : this.#someone(event[2]);
        return this.#mixUp(this.#someone(event[1]), relative, event[3]);
      }
      case 'seats': {
        const { commits } = this.#world;
        const { tenant } = commits;
        if (!tenant) return;
        const seatCapacity = event[1] === null ? null : tenant.seatsProvisioned + event[1];
        commits.tenant = { ...tenant, seatCapacity };
        return;
      }
      case 'fault':
        return this.#exportWith(event[1]);
      case 'days':
        for (const world of this.#worlds) world.passDays(event[1]);
        return;
      default:
        this.#happen(event);
    }
  }

  #happen(event: Change): void {
    if (event[0] === 'hire') {
      this.#hire(event[1] === null ? null : this.#someone(event[1]));
      return;
    }
    const person = this.#someone(event[1]);
    const [row] = person.rows;
    switch (event[0]) {
      case 'hire as': {
        const joiner = this.#hire(null);
        if (row) this.#edit(joiner, { mail: row.mail });
        return;
      }
      case 'leave':
        this.#leave(person, event[2]);
        return;
      case 'notice':
        if (this.#works(person)) this.#edit(person, { end: this.#day(event[2]) });
        return;
      case 'return':
        if (row && !this.#works(person)) this.#resume(person, row.id);
        return;
      case 'rehire':
        if (this.#works(person) && event[2] === 0) return;
        this.#resume(person, this.#newId());
        if (event[2] > 0) this.#edit(person, { start: this.#day(event[2]) });
        return;
      case 'renumber':
        this.#renumber(person);
        return;
      case 'new name':
        this.#edit(person, { first: `Eve${person.number}`, last: `Baker${person.number}` });
        this.#renumber(person);
        return;
      case 'transfer':
        this.#renumber(person, 'there');
        return;
      case 'second contract':
        if (row && person.rows.length === 1 && this.#works(person))
          this.#setRows(person, [row, { ...row, id: this.#newId(sourceOf(row, event[2])) }]);
        return;
      case 'contract ends':
        if (person.rows.length > 1)
          this.#setRows(
            person,
            event[2] === 'first' ? person.rows.slice(1) : person.rows.slice(0, 1),
          );
        return;
      case 'marry':
        this.#marry(person);
        return;
      case 'typo':
        this.#mistype(person);
        return;
      case 'give address away':
        this.#giveAddressAway(person);
        return;
      case 'swap addresses':
        this.#swapAddresses(person, this.#someone(event[2]));
        return;
      case 'move':
        this.#edit(person, { dept: `Fire ${event[2]}` });
        return;
      case 'manager': {
        const boss = this.#someone(event[2]).rows[0]?.id;
        if (boss !== undefined && boss !== row?.id) this.#edit(person, { boss });
      }
    }
  }

  #someone(number: number): Person {
    const person = this.#people[number % this.#people.length];
    if (!person) throw new Error('The company has no people.');
    return person;
  }

  #day(offset = 0): string {
    return new Date(this.#world.now.getTime() + offset * DAY_MS).toISOString().slice(0, 10);
  }

  #newId(source: 'first' | 'second' = 'first'): string {
    this.#ids += 1;
    return `${source === 'first' ? '' : SECOND}${1_000 + this.#ids}`;
  }

  #hasEnded({ status, end }: Row): boolean {
    return status === 'left' || (end !== undefined && end < this.#day());
  }

  #isWorking(row: Row): boolean {
    return !this.#hasEnded(row) && (row.start ?? '') <= this.#day();
  }

  #works(person: Person): boolean {
    return person.rows.some((row) => this.#isWorking(row));
  }

  #renumber(person: Person, where: 'here' | 'there' = 'here'): void {
    const [row, ...others] = person.rows;
    if (row && others.length === 0)
      this.#setRows(person, [{ ...row, id: this.#newId(sourceOf(row, where)) }]);
  }

  #setRows(person: Person, rows: Row[]): void {
    const before = new Set(person.rows.map(({ id }) => id));
    if (rows.length !== before.size || rows.some(({ id }) => !before.has(id)))
      person.sameIdReads = 0;
    person.rows = rows;
    for (const { id, mail } of rows) {
      this.#records.set(id, person);
      person.mails.add(mail);
    }
  }

  #edit(person: Person, change: Partial<Row>): void {
    this.#setRows(
      person,
      person.rows.map((row) => ({ ...row, ...change })),
    );
  }

  /** Whether someone else's line has the address now. */
  #isTaken(mail: string, by: Person): boolean {
    return this.#people.some((one) => one !== by && one.rows.some((row) => row.mail === mail));
  }

  /** With the address of someone who has left and whose line no longer has it, if there is such a person. */
  #hire(previous: Person | null): Person {
    const number = this.#people.length + 1;
    const person: Person = {
      number,
      rows: [],
      mails: new Set(),
      missedReads: 0,
      isLeavingReported: false,
      sameIdReads: 0,
    };
    const [free] = previous
      ? [...previous.mails].filter((mail) => !this.#isTaken(mail, person))
      : [];
    const isRecycled = free !== undefined && previous !== null && !this.#works(previous);
    this.#people.push(person);
    this.#setRows(person, [
      {
        id: this.#newId(),
        mail: isRecycled ? free : `p${number}@example.com`,
        first: `Ann${number}`,
        // A namesake with the address of someone who left looks like a person who married.
        last: `Miller${number}`,
        dept: `Fire ${number % 3}`,
        ...(number % 2 === 0 && { staff: `E${number}` }),
      },
    ]);
    return person;
  }

  #leave(person: Person, how: 'status' | 'end' | 'gone'): void {
    if (person.rows.every((row) => this.#hasEnded(row))) return;
    if (how === 'gone') this.#setRows(person, []);
    else this.#edit(person, how === 'status' ? { status: 'left' } : { end: this.#day(-1) });
  }

  /** The person works again: with the same record id or another, and their last address if it is free. */
  #resume(person: Person, id: string): void {
    const last = [...person.mails].at(-1) ?? '';
    const { number } = person;
    const known = this.#lastRow(person);
    this.#setRows(person, [
      {
        id,
        mail: this.#isTaken(last, person) ? `p${number}-${id}@example.com` : last,
        first: known?.first ?? `Ann${number}`,
        last: known?.last ?? '',
        dept: known?.dept ?? '',
        ...(known?.staff !== undefined && { staff: known.staff }),
      },
    ]);
    person.missedReads = 0;
    person.isLeavingReported = false;
  }

  #lastRow(person: Person): Row | undefined {
    const exported = [...this.#exported.values()].filter(
      ({ id }) => this.#records.get(id) === person,
    );
    return person.rows[0] ?? exported.at(-1) ?? this.#remembered.get(person);
  }

  readonly #remembered = new Map<Person, Row>();

  #marry(person: Person): void {
    if (!this.#works(person)) return;
    const mail = `p${person.number}-${person.mails.size}@example.com`;
    this.#edit(person, { last: `${this.#lastRow(person)?.last ?? ''}-Smith`, mail });
  }

  /** A wrong address, and at the next such event the right one again. */
  #mistype(person: Person): void {
    const right = this.#typos.get(person);
    const [row] = person.rows;
    if (!row || !this.#works(person)) return;
    if (right === undefined) {
      this.#typos.set(person, row.mail);
      this.#edit(person, { mail: `x${row.mail}` });
    } else {
      this.#typos.delete(person);
      if (!this.#isTaken(right, person)) this.#edit(person, { mail: right });
    }
  }

  /** A leaver's last line has another address, and someone who joins gets theirs. */
  #giveAddressAway(person: Person): void {
    const [row] = person.rows;
    if (!row || person.rows.length > 1) return;
    this.#edit(person, {
      mail: `old-${person.number}-${person.mails.size}@example.com`,
      status: 'left',
    });
    this.#hire(person);
  }

  /** Whether the last export says what is so, and for how long. */
  #isSettled({ rows: [row, ...others] }: Person): boolean {
    return (
      row !== undefined &&
      others.length === 0 &&
      row.end === undefined &&
      this.#isWorking(row) &&
      this.#linked.has(row.id) &&
      JSON.stringify(this.#exported.get(row.id)) === JSON.stringify(row)
    );
  }

  async #mixUp(colleague: Person, relative: Person | null, what: Meanwhile): Promise<void> {
    const known = relative ? [colleague, relative] : [colleague];
    if (relative === colleague || !known.every((one) => this.#isSettled(one))) return;
    const person = relative ?? this.#hire(null);
    const [mine, theirs] = [person.rows[0], colleague.rows[0]];
    if (!mine || !theirs) return;
    this.#edit(person, { last: theirs.last, mail: theirs.mail });
    if (what === 'gets another id') this.#renumber(colleague);
    // Who joins with the name and address of someone who leaves looks like them.
    if (what === 'leaves' && relative) this.#leave(colleague, 'status');
    if (what === 'gives it away and leaves')
      this.#edit(colleague, { mail: `old-${theirs.id}@example.com`, status: 'left' });
    else person.mails.delete(theirs.mail);
    await this.#export('full');
    if (what !== 'gives it away and leaves')
      this.#edit(person, { last: mine.last, mail: mine.mail });
  }

  #swapAddresses(one: Person, other: Person): void {
    const [mine, theirs] = [one.rows[0]?.mail, other.rows[0]?.mail];
    if (one === other || mine === undefined || theirs === undefined) return;
    this.#edit(one, { mail: theirs });
    this.#edit(other, { mail: mine });
  }

  async #write(rows: readonly Row[], mode: RunMode): Promise<void> {
    const after = new Map(rows.map((row) => [row.id, row]));
    const isChanged = (id: string): boolean =>
      JSON.stringify(this.#exported.get(id)) !== JSON.stringify(after.get(id));
    const changed = [...new Set([...this.#exported.keys(), ...after.keys()])].filter(isChanged);
    this.#exported = after;
    for (const [at, world] of this.#worlds.entries()) {
      const here = changed.filter((id) => isSecond(id) === (at === 1));
      for (const id of here) {
        const row = after.get(id);
        if (row) world.put(id, row as unknown as JsonObject);
        else world.leave(id);
      }
      if (world.connector.receivesUploads && world.changes.length > 0)
        await this.#push(world, mode === 'full' ? 'all' : here);
    }
  }

  /** Uploads everybody, or changes: who is gone is said to have left. */
  async #push(world: ConnectorWorld, records: 'all' | readonly string[]): Promise<void> {
    const { uploads, memory } = await world.instance().service.store();
    const upload = async (ids: readonly string[], step?: SnapshotStep): Promise<void> => {
      const people = ids.map((id): JsonObject => ({
        ...{ externalId: id, ...NO_FIELDS },
        ...(world.source.get(id) ?? { status: 'left' }),
      }));
      await uploads.add(people, step, appliedIn((await memory()).cursor));
    };
    if (records === 'all') {
      await upload([...world.source.keys()], 'start');
      await upload([], 'complete');
    } else if (records.length > 0) await upload(records);
  }

  #truth(): readonly Row[] {
    return [...this.#people].sort(byOwner).flatMap(({ rows }) => rows);
  }

  /** A correct export, however unusual; an operator approves what is held. */
  async #export(mode: RunMode, ...end: End): Promise<void> {
    for (const person of this.#people) {
      const [row] = person.rows;
      if (row) this.#remembered.set(person, row);
    }
    if (mode !== 'dates') {
      const before = this.#truthRead;
      this.#truthRead = this.#truth();
      const isBefore = ({ id }: Row): boolean => before.some((row) => row.id === id);
      this.#deleted = new Set(
        before
          .flatMap(({ id }) => (this.#linked.has(id) && this.#records.get(id)) || [])
          .filter(({ rows }) => !rows.some(isBefore)),
      );
      await this.#write(this.#truthRead, mode);
    }
    // A source that had people is read, though it has none any more.
    for (const world of this.#worlds)
      if (world.changes.length > 0) await this.#runToEnd(world, mode, end);
    if (mode !== 'delta') this.#datesOn = this.#day();
    this.#noteReported(mode);
    await this.#check();
  }

  async #runToEnd(world: ConnectorWorld, mode: RunMode, end: End): Promise<void> {
    const run = await this.#run(world, mode, end);
    if (run.state === 'held') {
      this.needs.add(run.id);
      await approve(world, run);
    }
    const ended = await world.runOf(run.id);
    if (ended.state !== 'done')
      throw new Error(
        `The ${mode} run of a correct export is ${ended.state}: ${ended.message ?? ''}`,
      );
  }

  /** A faulty export; an operator rejects what is held, and the next export is right again. */
  async #exportWith({ ids, damage, isPart = false }: SourceFault): Promise<void> {
    await this.#export('full');
    const { settled, enough } = await this.#settled();
    if (settled.length < enough) return;
    if (damage === 'last days gone') {
      for (const person of settled.slice(0, enough)) this.#edit(person, { end: this.#day(1) });
      await this.#export('full');
    }
    const rows = this.#truth().filter(({ id }) => !isSecond(id));
    const affected = isPart ? settled.slice(0, enough).flatMap((one) => one.rows) : rows;
    const isNew = (index: number): boolean =>
      ids === 'new' || (ids === 'half new' && index % 2 === 0);
    const idAt = (index: number): string => `${isNew(index) ? 'N' : ''}${rows[index]?.id ?? ''}`;
    const damaged = rows.map((row, index): Row => {
      const { boss, ...rest } = row;
      const id = idAt(index);
      const person = this.#records.get(row.id);
      if (person) this.#records.set(id, person);
      const manager = rows.findIndex((one) => one.id === boss);
      const at = affected.indexOf(row);
      return {
        ...{ ...rest, id },
        ...(damage !== 'managers gone' && manager >= 0 && { boss: idAt(manager) }),
        ...(at >= 0 && harmOf(damage, row, affected[(at + 1) % affected.length] ?? row)),
      } as Row;
    });
    // Nothing else has changed: the other source pushes nothing.
    await this.#write([...damaged, ...this.#truth().filter(({ id }) => isSecond(id))], 'delta');
    const managed = this.#managed;
    const run = await this.#run(this.#world, 'full');
    const renumbered = settled.filter((one) =>
      isNew(rows.findIndex((row) => row === one.rows[0])),
    ).length;
    if (run.state === 'done' && Math.max(renumbered, managed - this.#managed) >= enough)
      throw new Error('So many accounts have other records, or no manager any more, unseen.');
    if (run.state === 'held' && damage !== 'none') {
      await this.#world.instance().service.reject(run.id, 'ada');
    } else if (run.state === 'held') {
      await approve(this.#world, run);
      if (ids !== 'same') this.#keepNewIds(damaged);
    }
    await this.#check();
    if (damage === 'last days gone') {
      for (const world of this.#worlds) world.passDays(2);
      await this.#export('dates');
    }
    await this.#export('full');
  }

  /** How many accounts have a manager. */
  get #managed(): number {
    const users = this.#world.users();
    return users.filter(({ profile }) => profileValue(profile, MANAGER) != null).length;
  }

  /** People of the first source who are known, and how many of them may not change unseen. */
  async #settled() {
    const listed = await this.#listed();
    const settled = this.#people.filter(
      (one) => !isSecond(one.rows[0]?.id ?? SECOND) && !listed.has(one) && this.#isSettled(one),
    );
    const dayAgo = this.#world.now.getTime() - DAY_MS;
    const active = [...this.#lastActive.values()].filter((at) => at >= dayAgo).length;
    return { settled, enough: Math.max(2, Math.floor(active * (active < 20 ? 0.2 : 0.1))) + 1 };
  }

  /** A renumbering that was meant. */
  #keepNewIds(rows: readonly Row[]): void {
    for (const person of this.#people) {
      const renumbered = rows.filter(({ id }) => this.#records.get(id) === person);
      const others = person.rows.filter(({ id }) => isSecond(id));
      if (renumbered.length > 0) person.rows = [...renumbered, ...others];
    }
  }

  /** To its end, whatever stops it. */
  async #run(world: ConnectorWorld, mode: RunMode, end: End = []): Promise<RunRecord> {
    const newest = async () => (await (await world.instance().service.store()).runs(1))[0];
    const before = await newest();
    const { service, isDead } = world.instance(...end);
    // Ids of runs follow the clock.
    for (const one of this.#worlds) one.pass(1_000);
    await service.start({ mode, trigger: 'operator', requestedBy: NAME }).catch(() => undefined);
    await service.idle();
    if (isDead()) {
      // Leases are those of one storage.
      for (const one of this.#worlds) if (one !== world) one.pass(LEASE_MS);
      await world.recover();
      for (const one of this.#worlds) one.now = world.now;
    }
    const last = await newest();
    const isStored = last !== undefined && last.id !== before?.id && last.mode === mode;
    return !isStored || last.state === 'failed' ? world.run(mode) : last;
  }

  /** What the source has reported by now of those who left. */
  #noteReported(mode: RunMode): void {
    for (const person of this.#people) {
      const read = this.#truthRead.filter(({ id }) => this.#records.get(id) === person);
      if (read.some((row) => this.#isWorking(row))) {
        person.missedReads = 0;
        person.isLeavingReported = false;
        person.sameIdReads += mode === 'full' ? 1 : 0;
        continue;
      }
      // A last day that has passed is evaluated by full reads and by runs for dates.
      const isReported = read.some(
        ({ id, status }) => this.#linked.has(id) && (mode !== 'delta' || status === 'left'),
      );
      const isDeleted = mode === 'delta' && this.#deleted.has(person);
      // A record that never had their account says nothing of the one before it, which is missing.
      person.missedReads += mode === 'full' ? 1 : 0;
      person.isLeavingReported ||= isReported || isDeleted || person.missedReads >= MISSING_READS;
    }
  }

  async #check(): Promise<void> {
    const listed = await this.#listed();
    for (const person of listed) this.needs.add(`person ${person.number}`);
    for (const world of this.#worlds) await this.#checkLinks(world);
    await this.#noteActive();
    const accounts = new Map<Person, User['profile'][]>();
    for (const { id, profile } of this.#world.users()) {
      const owner = this.#owners.get(id);
      if (!owner) throw new Error(`The account ${profile.userName} belongs to no one.`);
      if (!profile.active) continue;
      accounts.set(owner, [...(accounts.get(owner) ?? []), profile]);
    }
    for (const person of this.#people) {
      if (listed.has(person)) continue;
      const [profile, ...others] = accounts.get(person) ?? [];
      this.#checkAccess(person, profile ? 1 + others.length : 0);
      // Of two accounts, one is that of a record that is not known to have ended.
      if (profile && others.length === 0) this.#checkProfile(person, profile);
    }
  }

  /** No record stands for another person's account. */
  async #checkLinks(world: ConnectorWorld): Promise<void> {
    const store = await world.instance().service.store();
    for await (const page of store.links.pages())
      for (const { sourceId, userId, state } of page) {
        const person = this.#records.get(sourceId);
        if (!person || userId === null || state === 'future') continue;
        const owner = this.#owners.get(userId) ?? person;
        this.#owners.set(userId, owner);
        this.#linked.add(sourceId);
        if (owner !== person && state === 'active')
          throw new Error(
            `The account of person ${owner.number} belongs to person ${person.number} now.`,
          );
      }
  }

  async #noteActive(): Promise<void> {
    const { links } = await this.#world.instance().service.store();
    const before = this.#active;
    const users = new Set(this.#world.users().flatMap((one) => (one.profile.active ? one.id : [])));
    const found: UserId[] = [];
    for await (const page of links.pages())
      for (const { userId, state } of page)
        if (userId !== null && state === 'active' && users.has(userId)) found.push(userId);
    this.#active = found;
    for (const id of [...before, ...found]) this.#lastActive.set(id, this.#world.now.getTime());
  }

  #checkAccess(person: Person, accounts: number): void {
    const { number, isLeavingReported, sameIdReads } = person;
    if (this.#isWorkingInExport(person)) {
      if (accounts === 0) throw new Error(`Person ${number} works and has no account.`);
      // With another id and another address at once, they look like someone new.
      if (accounts > 1 && sameIdReads > MISSING_READS)
        throw new Error(`Person ${number} has ${accounts} accounts.`);
    } else if (isLeavingReported && accounts > 0)
      throw new Error(`Person ${number} has left and keeps access.`);
  }

  /** Whether the last correct export says that they work, and a run has looked at dates since they do. */
  #isWorkingInExport(person: Person): boolean {
    return this.#truthRead.some(
      (row) =>
        this.#records.get(row.id) === person &&
        this.#isWorking(row) &&
        (row.start ?? '') <= this.#datesOn,
    );
  }

  #checkProfile(owner: Person, profile: JsonObject & { readonly userName: string }): void {
    const { number, mails } = owner;
    if (!mails.has(profile.userName))
      throw new Error(`Person ${number} has the address ${profile.userName} of someone else.`);
    const truth = this.#truthRead.filter(({ id }) => this.#records.get(id) === owner);
    const [row] = truth;
    if (!row || truth.length > 1 || !this.#isWorkingInExport(owner)) return;
    const { givenName } = (profile.name ?? {}) as { givenName?: string };
    if (row.first !== givenName || row.dept !== profile.title)
      throw new Error(
        `Person ${number} is ${givenName ?? ''}, ${JSON.stringify(profile.title)} in their account.`,
      );
  }

  /** People who an operator is asked to look at: in quarantine, or with a deactivation that waits. */
  async #listed(): Promise<ReadonlySet<Person>> {
    const listed = new Set<Person>();
    const deferredSince = new Map<string, number>();
    const now = this.#world.now.getTime();
    for (const world of this.#worlds) {
      const store = await world.instance().service.store();
      for (const { sourceId, code } of await store.quarantine.list(1_000)) {
        const person = this.#records.get(sourceId);
        if (!person) continue;
        if (code === 'TAKEOVER') this.#requireUnknown(person, sourceId);
        listed.add(person);
      }
      for await (const page of store.links.pages())
        for (const { sourceId, deferred } of page) {
          const person = this.#records.get(sourceId);
          if (!deferred || !person) continue;
          const since = this.#deferredSince.get(sourceId) ?? now;
          deferredSince.set(sourceId, since);
          // It waits for a day at most, and only for a line that could be theirs.
          const { mails } = person;
          const mayBeTheirs = (row: Row): boolean => mails.has(row.mail) && !this.#hasEnded(row);
          if (now - since <= DAY_MS && this.#truthRead.some(mayBeTheirs)) listed.add(person);
        }
    }
    this.#deferredSince = deferredSince;
    return listed;
  }

  /** An employee number says who it is. */
  #requireUnknown(person: Person, sourceId: string): void {
    const row = this.#truthRead.find(({ id }) => id === sourceId);
    const user = row?.staff === undefined ? undefined : this.#world.user(row.mail);
    if (user && this.#owners.get(user.id) === person)
      throw new Error(`The number of person ${person.number} says that the account is theirs.`);
  }
}

/** What is wrong with a line; `next` comes after it. */
const harmOf = (damage: SourceFault['damage'], { first, last }: Row, next: Row) => ({
  ...(damage === 'departments gone' && { dept: undefined }),
  ...(damage === 'addresses shifted' && { mail: next.mail }),
  ...(damage === 'names swapped' && { first: last, last: first }),
  ...(damage === 'have left' && { status: 'left' }),
  ...(damage === 'last days gone' && { end: undefined }),
});

const approve = async (world: ConnectorWorld, { id, plan }: RunRecord): Promise<void> => {
  const { service } = world.instance();
  await service.approve(id, plan?.digest ?? '', 'ada');
  await service.idle();
};
