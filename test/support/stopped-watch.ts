/** Nothing takes any time by it: how busy the machine is at the moment must be no finding. */
export const stoppedWatch = (): number => 0;
