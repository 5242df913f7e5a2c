import type { RunMode, RunRecord } from '../../../plugins/connectors/run/run-record.js';
import type { JsonObject, User, UserId } from '../../../src/plugin/api.js';
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
  readonly status?: 'left';
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

/** What goes wrong with a whole export. The people in it are right, in their order. */
export interface SourceFault {
  readonly ids: 'same' | 'new' | 'half new';
  readonly damage:
    'none' | 'departments gone' | 'managers gone' | 'addresses shifted' | 'names swapped';
}

/** What happens in the lives of people, by their number; numbers wrap around. */
export type LifeEvent =
  | readonly ['hire', recycledFrom: number | null]
  /** With the address of a colleague, by mistake. */
  | readonly ['hire as', colleague: number]
  | readonly ['leave', person: number, how: 'status' | 'end' | 'gone']
  | readonly ['notice', person: number, days: number]
  | readonly ['return', person: number]
  | readonly ['rehire', person: number]
  | readonly ['renumber', person: number]
  /** To the other source. */
  | readonly ['transfer', person: number]
  | readonly ['second contract', person: number]
  | readonly ['contract ends', person: number, which: 'first' | 'last']
  | readonly ['marry', person: number]
  | readonly ['typo', person: number]
  | readonly ['give address away', person: number]
  | readonly ['swap addresses', person: number, other: number]
  | readonly ['move', person: number, department: number]
  | readonly ['manager', person: number, boss: number]
  | readonly ['days', count: number]
  | readonly ['export', mode: 'full' | 'delta' | 'dates', killAt: number]
  | readonly ['fault', fault: SourceFault];

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
  manager: 'boss',
} as const;

const byOwner = (one: { readonly number: number }, other: { readonly number: number }): number =>
  one.number - other.number;

/** The second source exports the people whose record ids begin with this letter. */
const SECOND = 'S';
const isSecond = (id: string): boolean => id.startsWith(SECOND);

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
  /** People whose last line is gone since the export before. */
  #deleted: ReadonlySet<Person> = new Set();
  #ids = 0;
  #typos = new Map<Person, string>();
  /** Held runs, and people who were listed for an operator: what took a person's time. */
  readonly needs = new Set<string>();

  private constructor() {
    const connector = {
      mapping: MAPPING,
      lifecycle: { end: 'end', status: { path: 'status', inactive: ['left'] } },
    };
    this.#world = new ConnectorWorld({}, connector);
    const beside = { world: this.#world, name: 'second' };
    this.#worlds = [this.#world, new ConnectorWorld({}, connector, {}, beside)];
  }

  /** A company in which this happens; the last export is a complete one. */
  static async live(size: number, events: readonly LifeEvent[]): Promise<Company> {
    const company = await Company.open(size);
    for (const event of events) await company.live(event);
    await company.live(['export', 'full', Infinity]);
    return company;
  }

  /** A company of this size, past its first run. */
  static async open(size: number): Promise<Company> {
    const company = new Company();
    for (let at = 0; at < size; at += 1) company.#hire(null);
    for (const person of company.#people.slice(1))
      company.#edit(person, { boss: company.#people[0]?.rows[0]?.id ?? '' });
    await company.#export('full');
    return company;
  }

  get lives(): number {
    return this.#people.length;
  }

  async live(event: LifeEvent): Promise<void> {
    switch (event[0]) {
      case 'export':
        return this.#export(event[1], event[2]);
      case 'fault':
        return this.#exportWith(event[1]);
      case 'days':
        for (const world of this.#worlds) world.passDays(event[1]);
        return;
      default:
        this.#happen(event);
    }
  }

  #happen(event: Exclude<LifeEvent, readonly ['export' | 'fault' | 'days', ...unknown[]]>): void {
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
        if (!this.#works(person)) this.#resume(person, this.#newId());
        return;
      case 'renumber':
        if (row && person.rows.length === 1) this.#setRows(person, [{ ...row, id: this.#newId() }]);
        return;
      case 'transfer': {
        if (!row || person.rows.length > 1) return;
        const id = `${isSecond(row.id) ? '' : SECOND}${this.#newId()}`;
        this.#setRows(person, [{ ...row, id }]);
        return;
      }
      case 'second contract':
        if (row && person.rows.length === 1 && this.#works(person))
          this.#setRows(person, [row, { ...row, id: this.#newId() }]);
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

  #newId(): string {
    this.#ids += 1;
    return `${1_000 + this.#ids}`;
  }

  #isWorking({ status, end }: Row): boolean {
    return status !== 'left' && (end === undefined || end >= this.#day());
  }

  #works(person: Person): boolean {
    return person.rows.some((row) => this.#isWorking(row));
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
      },
    ]);
    return person;
  }

  #leave(person: Person, how: 'status' | 'end' | 'gone'): void {
    if (!this.#works(person)) return;
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

  #swapAddresses(one: Person, other: Person): void {
    const [mine, theirs] = [one.rows[0]?.mail, other.rows[0]?.mail];
    if (one === other || mine === undefined || theirs === undefined) return;
    this.#edit(one, { mail: theirs });
    this.#edit(other, { mail: mine });
  }

  #write(rows: readonly Row[]): void {
    const after = new Map(rows.map((row) => [row.id, row]));
    const worldOf = (id: string): ConnectorWorld => this.#worlds[isSecond(id) ? 1 : 0];
    for (const id of this.#exported.keys()) if (!after.has(id)) worldOf(id).leave(id);
    for (const [id, row] of after)
      if (JSON.stringify(this.#exported.get(id)) !== JSON.stringify(row))
        worldOf(id).put(id, row as unknown as JsonObject);
    this.#exported = after;
  }

  #truth(): readonly Row[] {
    return [...this.#people].sort(byOwner).flatMap(({ rows }) => rows);
  }

  /** A correct export, however unusual; an operator approves what is held. */
  async #export(mode: RunMode, killAt = Infinity): Promise<void> {
    for (const person of this.#people) {
      const [row] = person.rows;
      if (row) this.#remembered.set(person, row);
    }
    if (mode !== 'dates') {
      const before = this.#truthRead;
      this.#truthRead = this.#truth();
      this.#deleted = new Set(
        before
          .flatMap(({ id }) => this.#records.get(id) ?? [])
          .filter(({ rows }) => rows.length === 0),
      );
      this.#write(this.#truthRead);
    }
    // A source that had people is read, though it has none any more.
    for (const world of this.#worlds)
      if (world.changes.length > 0) await this.#runToEnd(world, mode, killAt);
    this.#noteReported(mode);
    await this.#check();
  }

  async #runToEnd(world: ConnectorWorld, mode: RunMode, killAt: number): Promise<void> {
    const run = await this.#run(world, mode, killAt);
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
  async #exportWith({ ids, damage }: SourceFault): Promise<void> {
    await this.#export('full');
    const rows = this.#truth().filter(({ id }) => !isSecond(id));
    if (rows.length === 0) return;
    const at = (index: number): Row => rows[index % rows.length] as Row;
    const isRenumbered = (index: number): boolean =>
      ids === 'new' || (ids === 'half new' && index % 2 === 0);
    const idOf = (index: number): string => `${isRenumbered(index) ? 'N' : ''}${at(index).id}`;
    const damaged = rows.map((row, index): Row => {
      const { boss, dept, ...rest } = row;
      const id = idOf(index);
      const person = this.#records.get(row.id);
      if (person) this.#records.set(id, person);
      const manager = rows.findIndex((one) => one.id === boss);
      const renumbered = {
        ...rest,
        id,
        ...(damage !== 'departments gone' && { dept }),
        ...(damage !== 'managers gone' && manager >= 0 && { boss: idOf(manager) }),
      } as Row;
      if (damage === 'addresses shifted') return { ...renumbered, mail: at(index + 1).mail };
      if (damage === 'names swapped') return { ...renumbered, first: row.last, last: row.first };
      return renumbered;
    });
    this.#write([...damaged, ...this.#truth().filter(({ id }) => isSecond(id))]);
    const run = await this.#run(this.#world, 'full', Infinity);
    if (run.state === 'held' && damage !== 'none') {
      await this.#world.instance().service.reject(run.id, 'ada');
    } else if (run.state === 'held') {
      await approve(this.#world, run);
      if (ids !== 'same') this.#keepNewIds(damaged);
    }
    await this.#check();
    await this.#export('full');
  }

  /** A renumbering that was meant. */
  #keepNewIds(rows: readonly Row[]): void {
    for (const person of this.#people) {
      const renumbered = rows.filter(({ id }) => this.#records.get(id) === person);
      if (renumbered.length > 0) person.rows = [...renumbered];
    }
  }

  /** To its end, whatever kills it. */
  async #run(world: ConnectorWorld, mode: RunMode, killAt: number): Promise<RunRecord> {
    const newest = async () => (await (await world.instance().service.store()).runs(1))[0];
    const before = await newest();
    const { service, isDead } = world.instance(killAt);
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

  /** Whether the last correct export says that they work. */
  #isWorkingInExport(person: Person): boolean {
    return this.#truthRead.some(
      (row) => this.#records.get(row.id) === person && this.#isWorking(row),
    );
  }

  #checkProfile(owner: Person, profile: JsonObject & { readonly userName: string }): void {
    const { number, mails } = owner;
    if (!mails.has(profile.userName))
      throw new Error(`Person ${number} has the address ${profile.userName} of someone else.`);
    const truth = this.#truthRead.filter(({ id }) => this.#records.get(id) === owner);
    const [row] = truth;
    if (!row || truth.length > 1 || owner.isLeavingReported) return;
    const { givenName } = (profile.name ?? {}) as { givenName?: string };
    if (row.first !== givenName || row.dept !== profile.title)
      throw new Error(
        `Person ${number} is ${givenName ?? ''}, ${JSON.stringify(profile.title)} in their account.`,
      );
  }

  /** People who an operator is asked to look at: in quarantine, or with a deactivation that waits. */
  async #listed(): Promise<ReadonlySet<Person>> {
    const listed = new Set<Person>();
    const list = (sourceId: string): void => {
      const person = this.#records.get(sourceId);
      if (person) listed.add(person);
    };
    for (const world of this.#worlds) {
      const store = await world.instance().service.store();
      for (const { sourceId } of await store.quarantine.list(1_000)) list(sourceId);
      for await (const page of store.links.pages())
        for (const { sourceId, deferred } of page) if (deferred) list(sourceId);
    }
    return listed;
  }
}

const approve = async (world: ConnectorWorld, { id, plan }: RunRecord): Promise<void> => {
  const { service } = world.instance();
  await service.approve(id, plan?.digest ?? '', 'ada');
  await service.idle();
};
