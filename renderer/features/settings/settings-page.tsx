import type { RouteOf } from '../../app/route.ts';
import { Page } from '../../ui/page.tsx';

export function SettingsPage({ route }: { readonly route: RouteOf<'settings'> }) {
  return <Page title={route.page} />;
}
