import type { RouteOf } from '../../app/route.ts';
import { Page } from '../../ui/page.tsx';

export function SessionPage({ route }: { readonly route: RouteOf<'session'> }) {
  return <Page title={route.page} />;
}
