import { afterAll, beforeAll, describe, it } from 'vitest';
import { layoutProblems, unreachable } from './support/layout.ts';
import { openStudio, settled, type Studio } from './support/studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio[Symbol.asyncDispose]());

/** Each page with much in it. */
const pages = [
  'welcome',
  'workloads-partial',
  'workload',
  'preflight',
  'start',
  'session-held',
  'session-failed',
  'activity',
  'activity-trouble',
  'conflict-settled',
  'held',
  'trash-of-path',
  'terminal',
  'logs',
  'ports-trouble',
  'changes',
  'timeline',
  'dock',
  'leftovers',
  'settings-clusters',
  'settings-kubeconfig',
  'settings-tools',
  'settings-appearance',
  'settings-shortcuts',
  'settings-sync',
  'settings-privacy',
  'tasks',
  'question',
  'protected-confirm',
] as const;
const widths = [900, 1280, 1800] as const;

describe.concurrent('nothing is cut, too wide or over something else', () => {
  it.for(pages)('%s at three widths', async (scene, { expect }) => {
    await studio.show(scene, { width: widths[0], height: 760 }, async (page) => {
      const problems: string[] = [];
      for (const width of widths) {
        await page.setViewportSize({ width, height: 760 });
        await settled(page);
        problems.push(...(await layoutProblems(page)).map((problem) => `${width} px: ${problem}`));
      }
      expect(problems).toEqual([]);
    });
  });

  it.for([
    'hostile-workloads',
    'hostile-workload',
    'hostile-session',
    'hostile-start',
    'hostile-conflict',
  ] as const)('%s', async (scene, { expect }) => {
    await studio.show(scene, { width: 1280 }, async (page) => {
      const problems = await layoutProblems(page);
      expect(problems.filter((problem) => !problem.startsWith('text is cut'))).toEqual([]);
    });
  });
});

const zooms = [
  { name: 'zoom 80 %', look: { zoom: 0.8 } },
  { name: 'zoom 200 %', look: { zoom: 2 } },
  { name: 'a window of 640 pixels, as a browser at 200 % makes it', look: { width: 640, height: 420 } },
] as const;

describe.concurrent.for(zooms)('everything can be reached at $name', ({ look }) => {
  it.for(pages)('%s', async (scene, { expect }) => {
    await studio.show(scene, look, async (page) => {
      const overlaps = (await layoutProblems(page)).filter((problem) => !problem.startsWith('text is cut'));
      expect([...overlaps, ...(await unreachable(page))]).toEqual([]);
    });
  });
});

describe.concurrent('nothing moves for those who asked for it', () => {
  it.for(['session-starting', 'welcome-sandbox-starting', 'workloads-loading', 'question', 'tasks'] as const)(
    '%s',
    async (scene, { expect }) => {
      await studio.show(scene, {}, async (page) => {
        const moving = await page.evaluate(() =>
          [...document.querySelectorAll('*')].flatMap((element) => {
            const { animationName, animationDuration, transitionDuration } = getComputedStyle(element);
            const lasts = (text: string) => text.split(',').some((part) => Number.parseFloat(part) > 0);
            const moves = (animationName !== 'none' && lasts(animationDuration)) || lasts(transitionDuration);
            return moves ? [`${element.tagName} ${element.getAttribute('class') ?? ''}`] : [];
          }),
        );
        expect(moving).toEqual([]);
      });
    },
  );

  it('but nothing takes longer than 150 ms for others', async ({ expect }) => {
    await studio.show('session', { motion: true }, async (page) => {
      const slow = await page.evaluate(() =>
        [...document.querySelectorAll('*')].flatMap((element) => {
          const { transitionDuration } = getComputedStyle(element);
          return transitionDuration.split(',').some((part) => Number.parseFloat(part) > 0.15)
            ? [`${element.tagName} ${element.getAttribute('class') ?? ''} ${transitionDuration}`]
            : [];
        }),
      );
      expect(slow).toEqual([]);
    });
  });
});
