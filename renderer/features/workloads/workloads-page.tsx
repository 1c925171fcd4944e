import type { RouteOf } from '../../app/route.ts';
import { Page } from '../../ui/page.tsx';

export function WorkloadsPage({ route }: { readonly route: RouteOf<'workloads'> }) {
  return <Page title={route.page} />;
}
