import { lazy, Suspense } from 'react';
import { Skeleton } from '../ui/skeleton.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { hrefOf, type PageRoute } from './route.ts';

const parts = {
  welcome: () => import('../features/welcome/welcome-page.tsx'),
  workloads: () => import('../features/workloads/workloads-page.tsx'),
  workload: () => import('../features/workloads/workload-page.tsx'),
  session: () => import('../features/session/session-page.tsx'),
  leftovers: () => import('../features/leftovers/leftovers-page.tsx'),
  settings: () => import('../features/settings/settings-page.tsx'),
} as const satisfies Readonly<Record<PageRoute['page'], () => Promise<unknown>>>;

const WelcomePage = lazy(async () => ({ default: (await parts.welcome()).WelcomePage }));
const WorkloadsPage = lazy(async () => ({ default: (await parts.workloads()).WorkloadsPage }));
const WorkloadPage = lazy(async () => ({ default: (await parts.workload()).WorkloadPage }));
const SessionPage = lazy(async () => ({ default: (await parts.session()).SessionPage }));
const LeftoversPage = lazy(async () => ({ default: (await parts.leftovers()).LeftoversPage }));
const SettingsPage = lazy(async () => ({ default: (await parts.settings()).SettingsPage }));

/** Begins to load the page of a route before it is shown. Whether that works is told where it is shown. */
export function preparePage({ page: name }: Pick<PageRoute, 'page'>): void {
  parts[name]().catch(() => undefined);
}

/** The page of a route. Each is loaded when it is first shown, and one that breaks leaves the others alone. */
export function PageOf({ route }: { readonly route: PageRoute }) {
  return (
    <PageBoundary key={subjectOf(route)}>
      <Suspense fallback={<LoadingPage />}>{page(route)}</Suspense>
    </PageBoundary>
  );
}

function page(route: PageRoute) {
  switch (route.page) {
    case 'welcome':
      return <WelcomePage />;
    case 'workloads':
      return <WorkloadsPage route={route} />;
    case 'workload':
      return <WorkloadPage route={route} />;
    case 'session':
      return <SessionPage route={route} />;
    case 'leftovers':
      return <LeftoversPage route={route} />;
    case 'settings':
      return <SettingsPage route={route} />;
  }
}

/** What a page is about: another subject begins anew, another tab or other namespaces do not. */
export function subjectOf(route: PageRoute): string {
  switch (route.page) {
    case 'workloads':
      return hrefOf({ ...route, namespaces: [] });
    case 'workload':
      return hrefOf({ ...route, tab: undefined });
    case 'session':
      return hrefOf({ page: route.page, session: route.session });
    case 'settings':
      return route.page;
    case 'welcome':
    case 'leftovers':
      return hrefOf(route);
  }
}

function LoadingPage() {
  return (
    <div style={{ padding: '1rem 1.25rem' }}>
      <Skeleton label="Loading the page" />
    </div>
  );
}
