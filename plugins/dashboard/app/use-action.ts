import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from './api/api-error.ts';
import { showToast } from './components/toasts.tsx';

/** Work that a button begins: whether it is under way, and its error. */
export const useAction = () => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (fault) {
      setError(asApiError(fault));
    }
    setBusy(false);
  };
  return { isBusy, error, run };
};

/** Does it, and shows its error as a toast. */
export const attempt = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (fault) {
    showToast(asApiError(fault).message, 'bad');
  }
};
