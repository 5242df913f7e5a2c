import { useState } from 'preact/hooks';
import { attempt } from '../use-action.ts';
import { Button } from './button.tsx';

/** A button that is busy until its work ends; the error of the work is shown as a toast. */
export const WorkButton = ({
  work,
  ...button
}: Omit<Parameters<typeof Button>[0], 'isBusy'> & { readonly work: () => Promise<unknown> }) => {
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    await attempt(work);
    setBusy(false);
  };
  return <Button {...button} isBusy={isBusy} onClick={() => void run()} />;
};
