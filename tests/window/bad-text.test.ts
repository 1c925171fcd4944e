import { expect, test } from 'vitest';
import { watchForHarm } from './support/harm.ts';
import { explain, goTo, hostilePlay } from './support/hostile-play.ts';

const play = hostilePlay();

test('text of a hostile cluster is shown as text on every page, and does nothing', () =>
  play.onStage(async (on) => {
    await using window = await play.browser.open(on.app.url);
    const { page } = window;
    const harm = watchForHarm(window);
    const { cluster, session, place } = on;
    const workload = `workload/${cluster}/${place.namespace}/Deployment`;
    const pages: readonly (readonly [string, string])[] = [
      [`workloads/${cluster}/${place.namespace}`, 'Argo CD application'],
      [`workloads/${cluster}`, place.namespace],
      [`${workload}/hostile/summary`, 'event-message "\'><img data-hostile'],
      [`workload/${cluster}/${place.namespace}/Pod/pod/summary`, 'message "\'><img data-hostile'],
      [`${workload}/hostile/preflight`, 'You have every right'],
      [`session/${session}/overview`, 'Where It Runs'],
      [`session/${session}/logs`, 'log "\'><img data-hostile'],
      [`session/${session}/ports`, 'Ports'],
      [`session/${session}/changes`, 'spec.replicas'],
      [`session/${session}/timeline`, 'In sync'],
      ['settings/clusters', 'context "\'><img data-hostile'],
      ['settings/kubeconfig', 'kubeconfig'],
      ['settings/tools', 'kubectl'],
      ['welcome', 'context "\'><img data-hostile'],
    ];
    const bad: string[] = [];
    const look = async (where: string): Promise<void> => {
      bad.push(...(await harm.found()).map((found) => `${where}: ${found}`));
    };
    for (const [hash, text] of pages) {
      await goTo(page, hash);
      await page.getByRole('main').getByText(text).first().waitFor();
      await look(hash);
    }

    await goTo(page, `${workload}/untouched/start`);
    await page.getByLabel('Folder on this machine').fill(place.project);
    await page
      .getByText('Replace untouched (1 → 0) and start untouched-dev, as sandbox-admin.')
      .first()
      .waitFor();
    await look('flight plan');
    await goTo(page, `session/${session}/sync`);
    await page.getByRole('main').getByText('Files', { exact: true }).click();
    await page.getByRole('main').getByRole('treeitem').filter({ hasText: '<img data-hostile' }).waitFor();
    await look('files');
    for (const part of ['Conflicts', 'Trash']) {
      await page.getByRole('main').getByText(part, { exact: true }).click();
      await look(part);
    }
    await goTo(page, `leftovers/${cluster}`);
    const main = page.getByRole('main');
    await main.getByText('user "\'><img data-hostile').first().waitFor();
    await look('leftovers');
    await explain(page, place.namespace);
    await look('explained leftover');
    expect(bad).toEqual([]);
  }));
