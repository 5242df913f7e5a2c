import { Page } from '../components/page.tsx';
import type { PageProps } from '../routes.ts';
import { tenants } from '../tenants.ts';

const Home = ({ slug }: PageProps) => {
  const tenant = tenants.value?.find((one) => one.slug === slug);
  return <Page title={tenant?.name ?? slug}>{null}</Page>;
};

export default Home;
