/**
 * What a connector does to users, run after run, as a careful HR administrator expects it. This is the
 * documentation of the semantics: plain rules over small maps, without pages, keys or crashes. Random
 * histories compare it with the connector (connector-histories.property.test.ts).
 */

/** What an export says of one person. Days are `yyyy-MM-dd`. */
export interface Line {
  readonly id: string;
  readonly mail: string;
  readonly title: string;
  /** The first and the last day. */
  readonly start?: string;
  readonly end?: string;
  /** A status that takes no seat. */
  readonly hasLeft?: true;
  /** The address is malformed. */
  readonly isBad?: true;
}

/** A user of the tenant. */
export interface Account {
  mail: string;
  title: string;
  externalId: string | null;
  isActive: boolean;
  /** Whether the connector was the last to change `isActive`. */
  isOffByConnector: boolean;
}

/** What the connector remembers of a record. */
interface Link {
  /** Null: there is no user for it. */
  account: Account | null;
  state: 'future' | 'active' | 'left';
  /** As last applied, and on which day. */
  line: Line;
  seenOn: string;
  /** From how many complete reads in a row it was missing. */
  missing: number;
}

/** A person who is employed today and the account to use: none means a new one. */
interface Wish {
  readonly line: Line;
  readonly account: Account | null;
  /** The record that stood for the account before. */
  readonly from: string;
}

type Stage = 'future' | 'active' | 'left' | 'unclear';

const MISSING_RUNS = 2;

export class ReferenceModel {
  today = '';
  seats = Infinity;
  accounts: Account[] = [];
  readonly links = new Map<string, Link>();
  /** Lines in quarantine: each is tried again by the next run that has or remembers it. */
  readonly waiting = new Map<string, Line>();

  /** A complete read: who is not in the file is missing. */
  full(file: readonly Line[]): void {
    const ids = new Set(file.map(({ id }) => id));
    for (const id of this.waiting.keys())
      if (!ids.has(id) && this.#hasEnded(id)) this.waiting.delete(id);
    this.#run(file, file, (named) => {
      for (const [id, link] of this.links) if (!ids.has(id)) this.#miss(link, named);
    });
  }

  /** Only what has changed; an absence means nothing, a deletion ends the record. */
  delta(changed: readonly Line[], deleted: readonly string[]): void {
    for (const id of deleted) this.waiting.delete(id);
    const retried = [...this.waiting.values()].filter((line) => !this.#isUserDeleted(line));
    const said = byId([...retried, ...changed]);
    const known = byId([...this.#known(), ...said.values()]);
    for (const id of deleted) known.delete(id);
    this.#run([...said.values()], [...known.values()], (named) => {
      for (const id of deleted) this.#end(this.links.get(id), named);
    });
  }

  /** A new day, without a read: only what the stored dates change. */
  dates(): void {
    const known = this.#known();
    this.#run(
      known.filter((line) => this.#isDue(line)),
      known,
    );
  }

  /** By another interface: only an operator gives them a new user. */
  #isUserDeleted({ id }: Line): boolean {
    const account = this.links.get(id)?.account;
    return account != null && !this.accounts.includes(account);
  }

  #hasEnded(id: string): boolean {
    return (this.links.get(id)?.state ?? 'left') === 'left';
  }

  /** The newest line of each record: one that waits is newer than what was applied. */
  #known(): readonly Line[] {
    return [
      ...byId([
        ...[...this.links.values()].map(({ line }) => line),
        ...this.waiting.values(),
      ]).values(),
    ];
  }

  /** While a newer line waits, no date of the older counts; that it says "left" does. */
  #isDue(line: Line): boolean {
    const link = this.links.get(line.id);
    if (!link) return false;
    if (!isSame(line, link.line)) return this.#stage(line) === 'left' && link.state !== 'left';
    return this.#stage(line) !== this.#stage(line, link.seenOn);
  }

  #stage({ start, end, hasLeft }: Line, today = this.today): Stage {
    if (hasLeft) return 'left';
    if (start !== undefined && end !== undefined && start > end) return 'unclear';
    if (end !== undefined && end < today) return 'left';
    return start !== undefined && start > today ? 'future' : 'active';
  }

  /** Who has left is deactivated, whatever else is wrong with their line. */
  #isUsable(line: Line): boolean {
    const stage = this.#stage(line);
    return stage === 'left' || (stage !== 'unclear' && !line.isBad);
  }

  /**
   * `said`: the lines that the run acts on. `all`: what is known of everybody. Seats and addresses are
   * freed first, and taken then.
   */
  #run(
    said: readonly Line[],
    all: readonly Line[],
    endOthers: (named: ReadonlyMap<Account, Stage>) => void = () => undefined,
  ): void {
    const known = byId(all);
    const lines = [...said].sort((one, other) => (one.id < other.id ? -1 : 1));
    const named = this.#namedBy([...lines, ...this.waiting.values()]);
    for (const line of lines) {
      const link = this.links.get(line.id);
      if (link) link.missing = 0;
      if (this.#isUsable(line)) this.waiting.delete(line.id);
      else this.waiting.set(line.id, line);
    }
    const usable = lines.filter((line) => this.#isUsable(line));
    const wishes = this.#wishes(usable, known);
    for (const line of usable) if (this.#stage(line) === 'left') this.#leave(line, named);
    endOthers(named);
    for (const line of usable) if (this.#stage(line) === 'future') this.#await(line);
    this.#grant(wishes);
  }

  /** The accounts that lines without a link stand for, by their id or address. */
  #namedBy(lines: readonly Line[]): ReadonlyMap<Account, Stage> {
    const named = new Map<Account, Stage>();
    for (const line of lines) {
      const account = this.links.get(line.id)?.account ? undefined : this.#find(line);
      const stage = this.#stage(line);
      if (account && stage !== 'left' && named.get(account) !== 'active')
        named.set(account, stage === 'future' ? 'future' : 'active');
    }
    return named;
  }

  #find({ id, mail, isBad }: Line): Account | undefined {
    return (
      this.accounts.find(({ externalId }) => externalId === id) ??
      (isBad ? undefined : this.accounts.find((account) => account.mail === mail))
    );
  }

  /** Which account each employed person gets; a line waits if that is unclear. */
  #wishes(lines: readonly Line[], known: ReadonlyMap<string, Line>): readonly Wish[] {
    const claimed = new Set<Account>();
    return lines.flatMap((line): Wish[] => {
      if (this.#stage(line) !== 'active') return [];
      const own = this.links.get(line.id)?.account;
      if (this.#isUserDeleted(line)) return this.#wait(line);
      if (own) return [{ line, account: own, from: line.id }];
      const account = this.#find(line);
      if (!account) return [{ line, account: null, from: line.id }];
      if (claimed.has(account)) return this.#wait(line);
      claimed.add(account);
      const owner = [...this.links].find(([, link]) => link.account === account)?.[0];
      if (owner === undefined) return [{ line, account, from: line.id }];
      const ownerLine = known.get(owner);
      if (!ownerLine || !this.#standsFor(ownerLine)) return [{ line, account, from: owner }];
      // The other person gives the address away, or both claim to be the same person.
      return !ownerLine.isBad && ownerLine.mail !== line.mail
        ? [{ line, account: null, from: line.id }]
        : this.#wait(line);
    });
  }

  #wait(line: Line): [] {
    this.waiting.set(line.id, line);
    return [];
  }

  /** Whether the record still stands for the account that it is linked to. */
  #standsFor(line: Line): boolean {
    const stage = this.#stage(line);
    if (stage === 'active') return true;
    return stage !== 'left' && this.links.get(line.id)?.state === 'active';
  }

  /** The line says that the person has left. It never takes an account that it was not linked to. */
  #leave(line: Line, named: ReadonlyMap<Account, Stage>): void {
    const link = this.links.get(line.id);
    if (link?.account && named.get(link.account) === 'active') return;
    if (link) this.#switchOff(link);
    const account = link?.account ?? null;
    this.links.set(line.id, { account, state: 'left', line, seenOn: this.today, missing: 0 });
  }

  /** Missing, or deleted in the source; an account that another line names is not touched. */
  #miss(link: Link, named: ReadonlyMap<Account, Stage>): void {
    if (link.state === 'left' || (link.account && named.has(link.account))) return;
    link.missing += 1;
    if (link.missing >= MISSING_RUNS) this.#end(link, named);
  }

  #end(link: Link | undefined, named: ReadonlyMap<Account, Stage>): void {
    if (!link || (link.account && named.has(link.account))) return;
    this.#switchOff(link);
    link.state = 'left';
    link.missing = 0;
  }

  /** Once: should another interface reactivate the user, they stay active. */
  #switchOff({ account, state }: Link): void {
    if (!account?.isActive || state === 'left') return;
    account.isActive = false;
    account.isOffByConnector = true;
  }

  /** A first day that moves ahead takes no seat away. */
  #await(line: Line): void {
    const link = this.links.get(line.id);
    const state = link?.account ? link.state : 'future';
    this.links.set(line.id, {
      account: link?.account ?? null,
      state,
      line,
      seenOn: this.today,
      missing: 0,
    });
  }

  /** Carries out a wish as a whole, or leaves the line waiting: no address is used twice. */
  #grant(wishes: readonly Wish[]): void {
    let granted = wishes;
    for (let before = -1; before !== granted.length;) {
      before = granted.length;
      const [current] = [granted];
      granted = current.filter((wish) => this.#getsAddress(wish, current));
    }
    for (const wish of wishes)
      if (granted.includes(wish) && this.#getsSeat(wish)) this.#apply(wish);
      else this.#wait(wish.line);
  }

  #getsAddress({ line, account }: Wish, granted: readonly Wish[]): boolean {
    const holder = this.accounts.find(({ mail }) => mail === line.mail);
    const moves = granted.some((one) => one.account === holder && one.line.mail !== line.mail);
    const first = granted.find((one) => one.line.mail === line.mail && one.account !== holder);
    return !holder || holder === account || (moves && first?.line === line);
  }

  #getsSeat({ account }: Wish): boolean {
    const needsOne = !account || (!account.isActive && account.isOffByConnector);
    return !needsOne || this.accounts.filter(({ isActive }) => isActive).length < this.seats;
  }

  /** The source wins, except for the external id of another interface and for who that switched off. */
  #apply({ line, account: found, from }: Wish): void {
    const { id, mail, title } = line;
    const account = found ?? {
      mail,
      title,
      externalId: id,
      isActive: true,
      isOffByConnector: false,
    };
    if (!found) this.accounts.push(account);
    if (account.isOffByConnector) account.isActive = true;
    if (account.externalId === null || account.externalId === from) account.externalId = id;
    Object.assign(account, { mail, title, isOffByConnector: false });
    this.links.delete(from);
    this.links.set(id, { account, state: 'active', line, seenOn: this.today, missing: 0 });
  }
}

const byId = (lines: readonly Line[]): Map<string, Line> =>
  new Map(lines.map((line) => [line.id, line]));

const isSame = (one: Line, other: Line): boolean => JSON.stringify(one) === JSON.stringify(other);
