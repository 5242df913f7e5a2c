import { expect, it } from 'vitest';
import type { RunMode } from '../../../plugins/connectors/run/run-record.js';
import type { UserId } from '../../../src/plugin/api.js';
import { ConnectorWorld } from '../../support/connector-world.js';

/** What an export says of one person. Days are `yyyy-MM-dd`. */
interface Line {
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

/** Numbers stand for record ids and for addresses, days are counted from now. */
type Step =
  | readonly ['hire' | 'address' | 'title', id: number, to: number]
  | readonly ['swap' | 'renumber' | 'replace' | 'transfer', id: number, other: number]
  | readonly ['vanish' | 'return', id: number]
  | readonly ['left' | 'bad', id: number, isSo: boolean]
  | readonly ['start' | 'end', id: number, day: number | null]
  | readonly ['other', mail: number, what: 'off' | 'on' | 'title' | 'id' | 'delete']
  | readonly ['days', count: number]
  | readonly ['run', mode: RunMode];

const mailOf = (number: number): string => `m${number}@example.com`;
const DAY_MS = 86_400_000;

interface Start {
  readonly existing?: readonly number[];
  readonly seats?: number | null;
}

/** An export and a tenant. */
class History {
  readonly #world: ConnectorWorld;
  readonly #file = new Map<string, Line>();
  /** As they were when they vanished. */
  readonly #lost = new Map<string, Line>();
  readonly #changed = new Set<string>();
  readonly #seats: number | null;
  #created = 0;

  private constructor(seats: number | null) {
    this.#seats = seats;
    this.#world = new ConnectorWorld(
      {
        safety: { maxDeactivatePercent: 100, maxEmailChangePercent: 100, maxDaysSinceLastRun: 999 },
        onError: { maxFailedPercent: 100 },
      },
      {
        mapping: {
          userName: { path: 'mail', required: true },
          email: 'mail',
          externalId: 'id',
          title: 'title',
        },
        lifecycle: { start: 'start', end: 'end', status: { path: 'status', inactive: ['left'] } },
      },
      { seatCapacity: seats },
    );
  }

  #day(offset: number): string {
    return new Date(this.#world.now.getTime() + offset * DAY_MS).toISOString().slice(0, 10);
  }

  #write(line: Line): void {
    this.#file.set(line.id, line);
    this.#changed.add(line.id);
    const { hasLeft, isBad, mail, ...data } = line;
    const record = {
      ...data,
      mail: isBad ? `${mail} (old)` : mail,
      ...(hasLeft && { status: 'left' }),
    };
    this.#world.put(line.id, record);
  }

  #remove(id: string): void {
    const line = this.#file.get(id);
    if (!line || this.#file.size === 1) return;
    this.#file.delete(id);
    this.#lost.set(id, line);
    this.#changed.add(id);
    this.#world.leave(id);
  }

  /** An export gives no two people who are employed at once the same address. */
  #isPossible(lines: readonly Line[]): boolean {
    const employed = lines.filter(({ hasLeft }) => !hasLeft);
    return employed.every((one) =>
      employed.every(
        (other) =>
          one.id === other.id ||
          one.mail !== other.mail ||
          (one.end ?? '9') < (other.start ?? '0') ||
          (other.end ?? '9') < (one.start ?? '0'),
      ),
    );
  }

  #change(lines: readonly Line[]): void {
    const after = new Map([...this.#file, ...lines.map((line) => [line.id, line] as const)]);
    if (!this.#isPossible([...after.values()])) return;
    const isMove = lines.some((line) => line.mail !== (this.#file.get(line.id) ?? line).mail);
    if (this.#seats !== null && isMove) return;
    for (const line of lines) this.#write(line);
  }

  #edit(id: string, more: { readonly [Key in keyof Line]?: Line[Key] | undefined }): void {
    const line = this.#file.get(id);
    if (!line) return;
    const edited = Object.entries({ ...line, ...more }).filter(([, value]) => value !== undefined);
    this.#change([Object.fromEntries(edited) as unknown as Line]);
  }

  /** Five people, past their first run. */
  static async start({ existing = [], seats = null }: Start): Promise<History> {
    const world = new History(seats);
    for (const number of existing) await world.#createUser(number);
    for (let at = 1; at <= 5; at += 1) world.#write({ id: `${at}`, mail: mailOf(at), title: 'A' });
    await world.#run('full');
    return world;
  }

  active(): readonly string[] {
    return this.#world.active();
  }

  async take(one: Step): Promise<void> {
    switch (one[0]) {
      case 'run':
        return this.#run(one[1]);
      case 'days':
        this.#world.passDays(one[1]);
        return;
      case 'other':
        return this.#other(mailOf(one[1]), one[2]);
      default:
        this.#export(one);
    }
  }

  #export(one: Exclude<Step, readonly ['run' | 'days' | 'other', ...unknown[]]>): void {
    const id = `${one[1]}`;
    const line = this.#file.get(id);
    switch (one[0]) {
      case 'hire':
        if (!line) this.#change([{ id, mail: mailOf(one[2]), title: 'A' }]);
        return;
      case 'address':
        this.#edit(id, { mail: mailOf(one[2]) });
        return;
      case 'swap': {
        const other = this.#file.get(`${one[2]}`);
        if (line && other)
          this.#change([
            { ...line, mail: other.mail },
            { ...other, mail: line.mail },
          ]);
        return;
      }
      case 'renumber':
      case 'replace':
      case 'transfer':
        if (line && !this.#file.has(`${one[2]}`)) this.#follow(one[0], line, `${one[2]}`);
        return;
      case 'vanish':
        this.#remove(id);
        return;
      case 'return': {
        const lost = this.#lost.get(id);
        if (lost && !line) this.#change([lost]);
        return;
      }
      case 'left':
        this.#edit(id, { hasLeft: one[2] || undefined });
        return;
      case 'bad':
        this.#edit(id, { isBad: one[2] || undefined });
        return;
      case 'start':
      case 'end':
        this.#edit(id, { [one[0]]: one[2] === null ? undefined : this.#day(one[2]) });
        return;
      case 'title':
        this.#edit(id, { title: `${one[2]}` });
    }
  }

  /** The same person under another id: the old line is gone, says "left", or ends the day before. */
  #follow(how: 'renumber' | 'replace' | 'transfer', line: Line, id: string): void {
    const { start: _start, ...rest } = line;
    if (how === 'renumber') {
      this.#remove(line.id);
      if (!this.#file.has(line.id)) this.#change([{ ...line, id }]);
    } else if (how === 'replace')
      this.#change([
        { ...line, hasLeft: true },
        { ...line, id },
      ]);
    else
      this.#change([
        { ...rest, end: this.#day(0) },
        { ...rest, id, start: this.#day(1) },
      ]);
  }

  async #createUser(number: number): Promise<void> {
    const mail = mailOf(number);
    if (this.#world.user(mail)) return;
    this.#created += 1;
    const externalId = `idp-${this.#created}`;
    await this.#world.act({
      type: 'user.create',
      userId: this.#world.newRecordId() as unknown as UserId,
      profile: {
        userName: mail,
        emails: [{ value: mail, type: 'work', primary: true }],
        externalId,
        active: true,
      },
    });
  }

  /** What an administrator does to a user. */
  async #other(mail: string, what: 'off' | 'on' | 'title' | 'id' | 'delete'): Promise<void> {
    const userId = this.#world.user(mail)?.id;
    if (!userId) return;
    const replace = (path: string, value: string) =>
      this.#world.act({
        type: 'user.patch',
        userId,
        changes: [{ op: 'replace', path: [path], value }],
      });
    if (what === 'delete') await this.#world.act({ type: 'user.delete', userId });
    else if (what === 'title') await replace('title', 'other');
    else if (what === 'id') await replace('externalId', 'idp-x');
    else await this.#world.act({ type: 'user.update', userId, active: what === 'on' });
  }

  async #run(mode: RunMode): Promise<void> {
    // All of the quarantine is due, except for what an operator decides.
    const { service } = this.#world.instance();
    for (const { sourceId, nextAt } of await (await service.store()).quarantine.list(100))
      if (nextAt !== null) await service.retry(sourceId);
    // Ids of runs follow the clock.
    this.#world.pass(1_000);
    const run = await this.#world.run(mode);
    if (run.state === 'held') {
      await service.approve(run.id, run.plan?.digest ?? '', 'ada');
      await service.idle();
    }
    expect(await this.#world.runOf(run.id)).toMatchObject({ state: 'done' });
  }
}

/** Active users at the end, by the number of their address. */
type Named = readonly [
  fact: string,
  active: readonly number[],
  steps: readonly Step[],
  start?: Start,
];

const full: Step = ['run', 'full'];
const delta: Step = ['run', 'delta'];
const dates: Step = ['run', 'dates'];
const ALL = [1, 2, 3, 4, 5];

const NAMED: readonly Named[] = [
  [
    'who returns with an identical line is reactivated',
    ALL,
    [['vanish', 2], full, full, ['return', 2], full],
  ],
  [
    'who is deleted and returns with an identical line is reactivated',
    ALL,
    [['vanish', 2], delta, ['return', 2], delta],
  ],
  ['a new id for a known address keeps the user active', ALL, [['renumber', 1, 6], full, full]],
  ['a deletion and a new id in one delta keep the user active', ALL, [['renumber', 1, 6], delta]],
  [
    'a new id whose record waits keeps the user active',
    ALL,
    [['renumber', 1, 6], ['start', 6, 3], ['end', 6, 1], full, full, full],
  ],
  ['an old id that has left and a new active one keep the user', ALL, [['replace', 1, 6], full]],
  ['a transfer to another id keeps the user', ALL, [['transfer', 1, 6], full, ['days', 1], dates]],
  [
    'an inactive record does not take the user of an active one',
    [...ALL, 6],
    [['hire', 6, 6], ['left', 6, true], ['hire', 7, 6], full],
    { existing: [6] },
  ],
  [
    'an inactive record without a link changes nothing',
    [...ALL, 6],
    [['hire', 6, 6], ['left', 6, true], full, full],
    { existing: [6] },
  ],
  [
    'no date of an older record counts while a newer one waits',
    ALL,
    [['end', 1, 0], full, ['bad', 1, true], ['end', 1, 3], full, ['days', 1], dates],
  ],
  [
    'a leaver whose link was made anew is deactivated',
    [2, 3, 4, 5],
    [
      ['left', 1, true],
      full,
      ['renumber', 1, 6],
      ['left', 6, false],
      full,
      ['left', 6, true],
      full,
      ['renumber', 6, 1],
      ['left', 1, false],
      full,
      ['left', 1, true],
      full,
    ],
  ],
  [
    'a deactivation by an administrator before the last day stays',
    [2, 3, 4, 5],
    [['other', 1, 'off'], ['left', 1, true], full, ['left', 1, false], full],
  ],
  [
    'a deactivation by an administrator after the last day stays',
    [2, 3, 4, 5],
    [['left', 1, true], full, ['other', 1, 'on'], ['other', 1, 'off'], ['left', 1, false], full],
  ],
  [
    'a user who is deleted by another interface stays deleted when the record changes',
    [2, 3, 4, 5],
    [['other', 1, 'delete'], ['title', 1, 2], full, ['title', 1, 3], full],
  ],
  [
    'an absence before a read in which the change fails does not count',
    [2, 3, 4, 5],
    [['vanish', 2], full, ['renumber', 1, 2], full, ['vanish', 2], full],
  ],
  ['two people who swap their addresses get them', ALL, [['swap', 1, 2], full]],
  ['three people whose addresses go round get them', ALL, [['swap', 1, 2], ['swap', 2, 3], full]],
  [
    'an address passes to someone who comes earlier in the file',
    [2, 3, 4, 5, 6],
    [['address', 2, 6], ['address', 1, 2], full],
  ],
  [
    'an address passes to someone who is new',
    [...ALL, 6],
    [['address', 2, 6], ['hire', 6, 2], full],
  ],
  [
    'the seat of a leaver goes to someone who comes earlier in the file, in the same run',
    ALL,
    [['vanish', 1], full, full, ['hire', 7, 7], full, ['return', 1], ['left', 7, true], full],
    { seats: 5 },
  ],
  [
    'what another interface changed is restored by the next full read',
    ALL,
    [['other', 1, 'title'], full],
  ],
  [
    'the external id of an identity provider is kept',
    ALL,
    [['title', 1, 2], full],
    { existing: [1] },
  ],
  [
    'a first day after the last one changes nothing',
    ALL,
    [['end', 1, -1], ['start', 1, 1], full, ['days', 2], dates, full],
  ],
];

it.each(NAMED.map(([fact, ...rest]) => [fact, rest] as const))('%s', async (_fact, rest) => {
  const [active, steps, start = {}] = rest;
  const world = await History.start(start);
  for (const one of steps) await world.take(one);
  expect(world.active()).toEqual(active.map(mailOf));
});
