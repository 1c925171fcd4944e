import type { ReactNode } from 'react';
import type { Settings } from '../../../contract/settings.ts';
import { navigate, type RouteOf } from '../../app/route.ts';
import { useRemote } from '../../ipc/client.ts';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { ClustersSection } from './clusters-section.tsx';
import { KubeconfigSection } from './kubeconfig-section.tsx';
import { PrivacySection } from './privacy-section.tsx';
import { ShortcutsSection } from './shortcuts-section.tsx';
import { SyncSection } from './sync-section.tsx';
import { ToolsSection } from './tools-section.tsx';
import { useSaver, type Saver } from './use-saver.ts';
import styles from './settings.module.css';

type Section = NonNullable<RouteOf<'settings'>['section']>;

const sections: readonly { readonly id: Section; readonly label: string }[] = [
  { id: 'clusters', label: 'Clusters and Guards' },
  { id: 'kubeconfig', label: 'Kubeconfig Files' },
  { id: 'tools', label: 'Tools' },
  { id: 'sync', label: 'Sync Defaults' },
  { id: 'appearance', label: 'Appearance' },
  { id: 'shortcuts', label: 'Shortcuts' },
  { id: 'privacy', label: 'Privacy' },
];

/** What the user has chosen; each change is stored at once, and says so. */
export function SettingsPage({ route }: { readonly route: RouteOf<'settings'> }) {
  const section = route.section ?? 'clusters';
  const { value, error } = useRemote('settings.current', {});
  const saver = useSaver();
  return (
    <Page
      title="Settings"
      state={<SaveState saver={saver} />}
      tabs={
        <Tabs
          label="Sections"
          value={section}
          tabs={sections}
          onChange={(id) => navigate({ page: 'settings', section: id })}
        />
      }
    >
      <div className={styles['section']}>
        {error === undefined ? null : <ErrorBox error={error} />}
        {saver.failed === undefined ? null : <ErrorBox error={saver.failed.error} />}
        {value === undefined ? error === undefined ? <Skeleton /> : null : sectionOf(section, value, saver)}
      </div>
    </Page>
  );
}

function sectionOf(section: Section, settings: Settings, saver: Saver): ReactNode {
  switch (section) {
    case 'clusters':
      return <ClustersSection settings={settings} saver={saver} />;
    case 'kubeconfig':
      return <KubeconfigSection settings={settings} saver={saver} />;
    case 'tools':
      return <ToolsSection />;
    case 'sync':
      return <SyncSection settings={settings} saver={saver} />;
    case 'appearance':
      return <AppearanceSection settings={settings} saver={saver} />;
    case 'shortcuts':
      return <ShortcutsSection settings={settings} saver={saver} />;
    case 'privacy':
      return <PrivacySection />;
  }
}

/** Says that a change is stored, where it moves nothing. */
function SaveState({ saver }: { readonly saver: Saver }) {
  const text =
    saver.failed !== undefined
      ? `${saver.failed.what}: not saved`
      : saver.pending
        ? 'Saving…'
        : saver.saved === undefined
          ? 'Each change is saved at once'
          : `${saver.saved}: saved`;
  return (
    <span className={styles['saved']} role="status" data-failed={saver.failed !== undefined || undefined}>
      {text}
    </span>
  );
}
