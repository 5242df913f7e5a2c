import { ShownOnce } from './shown-once.tsx';
import { StepUpDialog } from './step-up-dialog.tsx';

/** The dialogs that any page may open. */
const AlwaysThere = () => (
  <>
    <ShownOnce />
    <StepUpDialog />
  </>
);

export default AlwaysThere;
