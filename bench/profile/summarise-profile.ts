import type { CallFrame, CpuProfile, Window } from './cpu-profile.js';
import { selfTimes, stacksOf } from './cpu-profile.js';
import type { FramePlace } from './frame-place.js';

export interface Cost {
  /** A function with its place, or an area. */
  readonly name: string;
  readonly file: string;
  /** Milliseconds. */
  readonly ms: number;
}

export interface ProfileSummary {
  /** Milliseconds in which the thread was at work. */
  readonly busyMs: number;
  readonly areas: readonly Cost[];
  /** Without what they call. */
  readonly functions: readonly Cost[];
  /** Functions of our own, with all that they call before they wait. */
  readonly inclusive: readonly Cost[];
}

const IDLE = '(idle)';

/** Adds up what is at one place. */
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
  readonly placeOf: (frame: CallFrame) => FramePlace;
  readonly isOwn: (place: FramePlace) => boolean;
}

/** Where the time within the window went. */
export const summariseProfile = (
  profile: CpuProfile,
  { window, placeOf, isOwn }: ProfileView,
): ProfileSummary => {
  const [areas, functions, inclusive] = [startSum(), startSum(), startSum()];
  const stackOf = stacksOf(profile.nodes);
  let busyMs = 0;
  for (const [id, microseconds] of selfTimes(profile, window)) {
    const stack = stackOf(id);
    const frame = stack[0]?.callFrame;
    if (!frame || frame.functionName === IDLE) continue;
    const ms = microseconds / 1_000;
    const place = placeOf(frame);
    busyMs += ms;
    areas.add(place.area, '', ms);
    functions.add(nameOf(frame), place.file, ms);
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

  /** Each once, however often it stands in the stack. */
  function ownFrames(stack: readonly CallFrame[]): Iterable<readonly [string, string]> {
    const found = new Map<string, readonly [string, string]>();
    for (const frame of stack) {
      const place = placeOf(frame);
      const name = nameOf(frame);
      if (isOwn(place)) found.set(`${name} ${place.file}`, [name, place.file]);
    }
    return found.values();
  }
};
