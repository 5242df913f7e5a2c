import { Link } from 'wouter-preact';
import { Empty } from '../components/empty.tsx';
import { Page } from '../components/page.tsx';

const NotFound = () => (
  <Page title="No such page">
    <Empty icon="search" title="Nothing is at this address">
      <p>
        <Link href="/">Go to the home page</Link>, or search with Cmd-K or Ctrl-K.
      </p>
    </Empty>
  </Page>
);

export default NotFound;
