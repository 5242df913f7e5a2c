/** The file of `node --cpu-prof`: V8's tree of call frames, and the node of each sample. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Microseconds of the monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** The time before each sample, in microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** Zero-based, like the column. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A part of the profile, in microseconds of the monotonic clock. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The self time of each node within the window, in microseconds. */
export const selfTimes = (
  profile: CpuProfile,
  { from, to }: Window,
): ReadonlyMap<number, number> => {
  const times = new Map<number, number>();
  let now = profile.startTime;
  profile.samples.forEach((node, index) => {
    now += profile.timeDeltas[index] ?? 0;
    const lasted = profile.timeDeltas[index + 1] ?? 0;
    if (now >= from && now <= to) times.set(node, (times.get(node) ?? 0) + lasted);
  });
  return times;
};

/** The call stack of a node, starting with itself. */
export const stacksOf = (nodes: readonly ProfileNode[]) => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  return (id: number): readonly ProfileNode[] => {
    const stack: ProfileNode[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const node = byId.get(at);
      if (node) stack.push(node);
    }
    return stack;
  };
};
