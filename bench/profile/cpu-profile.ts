/** What `node --cpu-prof` writes: V8's tree of call frames and the node that each sample hit. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Microseconds of the monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Before each sample, in microseconds. */
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
  /** From 0, as the column. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A part of the profile's time, in microseconds of the monotonic clock. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Microseconds that each node itself was at work within the window. */
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

/** The nodes that called a node, itself first. */
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
