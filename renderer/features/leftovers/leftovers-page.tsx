import type { RouteOf } from '../../app/route.ts';
import { Page } from '../../ui/page.tsx';

export function LeftoversPage({ route }: { readonly route: RouteOf<'leftovers'> }) {
  return <Page title={route.page} />;
}
