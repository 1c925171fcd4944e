import type { Page } from 'playwright-core';
import { loseMain, settled } from './support/studio.ts';

/** One picture: a scene, what is done in it, and the part that is kept. */
export interface Picture {
  readonly scene: string;
  readonly act?: ((page: Page) => Promise<void>) | undefined;
  /** The part of the window that the picture is of; all of it otherwise. */
  readonly part?: string | undefined;
}

const page = '#page';
const dialog = '[role="dialog"], [role="alertdialog"]';

const press = (name: string | RegExp) => async (shown: Page) => {
  await shown.locator(page).getByRole('button', { name }).first().click();
};
const tab = (name: string) => async (shown: Page) => {
  await shown.getByRole('radio', { name }).or(shown.getByRole('tab', { name })).first().click();
};
const choose =
  (...rows: readonly string[]) =>
  async (shown: Page) => {
    for (const row of rows)
      await shown.getByRole('row').filter({ hasText: row }).getByRole('checkbox').click();
  };
const plan = async (shown: Page) => {
  await shown.getByLabel('Folder on this machine').fill('/home/dana/src/shop/web');
  await shown.getByRole('region', { name: 'the command' }).waitFor();
};
const after =
  (...steps: readonly ((shown: Page) => Promise<void>)[]) =>
  async (shown: Page) => {
    for (const step of steps) {
      await step(shown);
      await settled(shown);
    }
  };

const whole = (scene: string, act?: Picture['act']): Picture => ({ scene, act });
const pageOf = (scene: string, act?: Picture['act']): Picture => ({ scene, act, part: page });
const dialogOf = (scene: string, act?: Picture['act']): Picture => ({ scene, act, part: dialog });

/** Everything that is compared, by name. */
export const pictures: Readonly<Record<string, Picture>> = {
  welcome: whole('welcome'),
  'welcome-first-run': whole('welcome-first-run'),
  'welcome-loading': pageOf('welcome-loading'),
  'welcome-sandbox-starting': pageOf('welcome-sandbox-starting'),
  'welcome-no-sandbox': pageOf('welcome-no-sandbox'),
  'folder-dialog': dialogOf('welcome', after(press('Open a Folder…'))),

  workloads: whole('workloads'),
  'workloads-chosen': pageOf('workloads', after(choose('checkout', 'mail'))),
  'workloads-loading': whole('workloads-loading'),
  'workloads-empty': pageOf('workloads-empty'),
  'workloads-partial': whole('workloads-partial'),
  'workloads-stale': whole('workloads-stale'),
  'workloads-error': whole('workloads-error'),
  'workloads-many': pageOf('workloads-many'),
  'namespace-chooser': whole('workloads', after(press(/^Namespace shop/))),

  workload: whole('workload'),
  'workload-loading': pageOf('workload-loading'),
  'workload-empty-lists': pageOf('workload-empty-lists'),
  'workload-partial': pageOf('workload-partial'),
  'workload-stale': pageOf('workload-stale'),
  'workload-gone': pageOf('workload-gone'),
  'workload-error': pageOf('workload-error'),
  preflight: pageOf('preflight'),
  'preflight-error': pageOf('preflight-error'),
  start: whole('start', after(plan)),
  'start-empty': pageOf('start-empty'),
  'start-obstacles': pageOf('start-obstacles', after(plan)),
  'start-read-only': whole('start-read-only', after(plan)),
  'start-confirm': dialogOf('start-protected', after(plan, press(/^Replace web/))),

  session: whole('session'),
  'session-loading': pageOf('session-loading'),
  'session-unknown': pageOf('session-unknown'),
  'session-starting': pageOf('session-starting'),
  'session-held': whole('session-held'),
  'session-conflict': pageOf('session-conflict'),
  'session-settled': whole('session-settled'),
  'session-folder-gone': whole('session-folder-gone'),
  'session-gone': whole('session-settled', loseMain),
  'session-reconnecting': pageOf('session-reconnecting'),
  'session-stopping': pageOf('session-stopping'),
  'session-ended': pageOf('session-ended'),
  'session-left': pageOf('session-left'),
  'session-failed': pageOf('session-failed'),
  'stop-dialog': dialogOf('session', after(press('Stop and Restore'))),
  'brake-dialog': dialogOf('session-held', after(press('Delete Them…'))),
  activity: pageOf('activity'),
  'activity-empty': pageOf('activity-empty'),
  'activity-trouble': pageOf('activity-trouble'),
  'conflict-settled': pageOf('conflict-settled'),
  'conflict-held': pageOf('conflict-held'),
  'conflict-binary': pageOf('conflict-binary'),
  'conflict-hostile': pageOf('conflict-hostile'),
  files: pageOf('activity', after(tab('Files'))),
  held: pageOf('held'),
  'held-empty': pageOf('activity', after(tab('Held'))),
  conflicts: pageOf('conflicts'),
  'conflicts-settled': pageOf('conflicts-settled'),
  'trash-of-path': pageOf('trash-of-path'),
  'conflicts-empty': pageOf('conflicts-empty', after(tab('Conflicts'))),
  trash: pageOf('activity', after(tab('Trash'))),
  'trash-container': pageOf('activity', after(tab('Trash'), tab('Container'))),
  'trash-chosen': pageOf('activity', after(tab('Trash'), press('Choose All 5'))),
  'restore-versions': dialogOf('activity', after(tab('Trash'), press('Choose All 5'), press('Restore 5…'))),
  'trash-empty': pageOf('trash-empty', after(tab('Trash'))),
  'trash-error': pageOf('trash-error', after(tab('Trash'))),
  terminal: pageOf('terminal'),
  'terminal-ended': pageOf('terminal-ended'),
  'terminal-lost': pageOf('terminal-lost'),
  logs: pageOf('logs'),
  'logs-empty': pageOf('logs-empty'),
  'logs-error': pageOf('logs-error'),
  ports: pageOf('ports'),
  'ports-trouble': pageOf('ports-trouble'),
  'ports-empty': pageOf('ports-empty'),
  changes: pageOf('changes'),
  'changes-empty': pageOf('changes-empty'),
  timeline: pageOf('timeline'),
  'timeline-empty': pageOf('timeline-empty'),
  dock: whole('dock'),
  'dock-empty': { scene: 'dock-empty', part: '#dock' },

  leftovers: whole('leftovers'),
  'leftovers-loading': pageOf('leftovers-loading'),
  'leftovers-empty': pageOf('leftovers-empty'),
  'leftovers-partial': pageOf('leftovers-partial'),
  'leftovers-stale': pageOf('leftovers-stale'),
  'leftovers-error': pageOf('leftovers-error'),
  'restore-dialog': dialogOf('leftovers', after(choose('search', 'Deployment/mail'), press('Restore…'))),
  'explain-dialog': dialogOf('leftovers', after(choose('search'), press('Explain'))),

  'settings-clusters': whole('settings-clusters'),
  'settings-clusters-empty': pageOf('settings-clusters-empty'),
  'settings-kubeconfig': pageOf('settings-kubeconfig'),
  'settings-kubeconfig-error': pageOf('settings-kubeconfig-error'),
  'settings-tools': pageOf('settings-tools'),
  'settings-tools-loading': pageOf('settings-tools-loading'),
  'settings-appearance': pageOf('settings-appearance'),
  'settings-shortcuts': pageOf('settings-shortcuts'),
  'settings-sync': pageOf('settings-sync'),
  'settings-privacy': pageOf('settings-privacy'),

  gone: whole('gone', (shown) => shown.getByRole('alert').waitFor()),
  refused: whole('refused'),
  tasks: whole('tasks', async (shown) => {
    await shown.getByRole('button', { name: /Compare 48,210 files/ }).click();
    await settled(shown);
  }),
  question: dialogOf('question'),
  palette: dialogOf('session', async (shown) => {
    await shown.keyboard.press('Control+Shift+P');
    await settled(shown);
  }),
  places: dialogOf('workloads', async (shown) => {
    await shown.keyboard.press('Control+P');
    await settled(shown);
  }),
  shortcuts: dialogOf('session', async (shown) => {
    await shown.keyboard.press('?');
    await settled(shown);
  }),
  'protected-confirm': whole('protected-confirm'),
};
