import type { CallFrame, CpuProfile, Window } from './cpu-profile.js';
import { selfTimes, stacksOf } from './cpu-profile.js';
import type { FrameLocation } from './frame-locations.js';

export interface Cost {
  /** A function, or an area. */
  readonly name: string;
  readonly file: string;
  /** Milliseconds. */
  readonly ms: number;
}

export interface ProfileSummary {
  /** Milliseconds in which the thread was not idle. */
  readonly busyMs: number;
  readonly areas: readonly Cost[];
  /** By self time. */
  readonly functions: readonly Cost[];
  /** Own functions by total time, up to their first await. */
  readonly inclusive: readonly Cost[];
}

const IDLE = '(idle)';

const startSum = () => {
  const sums = new Map<string, { name: string; file: string; ms: number }>();
  return {
    add: (name: string, file: string, ms: number): void => {
      const key = `${name} ${file}`;
      const sum = sums.get(key) ?? { name, file, ms: 0 };
      sum.ms += ms;
      sums.set(key, sum);
    },
    costs: (): readonly Cost[] => [...sums.values()].sort((one, other) => other.ms - one.ms),
  };
};

const nameOf = ({ functionName }: CallFrame): string => functionName || '(anonymous)';

export interface ProfileView {
  readonly window: Window;
  readonly locationOf: (frame: CallFrame) => FrameLocation;
  readonly isOwn: (location: FrameLocation) => boolean;
}

/** Sums up the time within the window. */
export const summariseProfile = (
  profile: CpuProfile,
  { window, locationOf, isOwn }: ProfileView,
): ProfileSummary => {
  const [areas, functions, inclusive] = [startSum(), startSum(), startSum()];
  const stackOf = stacksOf(profile.nodes);
  let busyMs = 0;
  for (const [id, microseconds] of selfTimes(profile, window)) {
    const stack = stackOf(id);
    const frame = stack[0]?.callFrame;
    if (!frame || frame.functionName === IDLE) continue;
    const ms = microseconds / 1_000;
    const location = locationOf(frame);
    busyMs += ms;
    areas.add(location.area, '', ms);
    functions.add(nameOf(frame), location.file, ms);
    for (const [name, file] of ownFrames(stack.map(({ callFrame }) => callFrame))) {
      inclusive.add(name, file, ms);
    }
  }
  return {
    busyMs,
    areas: areas.costs(),
    functions: functions.costs(),
    inclusive: inclusive.costs(),
  };

  /** Each once, even if it is recursive. */
  function ownFrames(stack: readonly CallFrame[]): Iterable<readonly [string, string]> {
    const found = new Map<string, readonly [string, string]>();
    for (const frame of stack) {
      const location = locationOf(frame);
      const name = nameOf(frame);
      if (isOwn(location)) found.set(`${name} ${location.file}`, [name, location.file]);
    }
    return found.values();
  }
};
