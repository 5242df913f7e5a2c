/** Nothing takes any time by it, for what must not hang on how busy the machine is. */
export const stoppedWatch = (): number => 0;
