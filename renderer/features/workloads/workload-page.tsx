import type { RouteOf } from '../../app/route.ts';
import { Page } from '../../ui/page.tsx';

export function WorkloadPage({ route }: { readonly route: RouteOf<'workload'> }) {
  return <Page title={route.page} />;
}
