import { Link } from 'wouter-preact';
import { Empty } from '../components/empty.tsx';
import { Page } from '../components/page.tsx';

const NotFound = () => (
  <Page title="Page not found">
    <Empty icon="search" title="There is no page at this address">
      <p>
        <Link href="/">Go to the home page</Link> or search with Ctrl-K or Cmd-K.
      </p>
    </Empty>
  </Page>
);

export default NotFound;
