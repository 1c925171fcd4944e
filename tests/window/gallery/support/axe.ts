import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong in the page, a line for each place. The colours alone, when the rest was looked at before. */
export async function axeViolations(page: Page, what: 'all' | 'colours'): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  const options: RunOptions = {
    resultTypes: ['violations'],
    ...(what === 'colours' ? { runOnly: ['color-contrast'] } : {}),
  };
  // What passed stays in the page: it is a hundred times as long.
  const violations = await page.evaluate(async (given) => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResults> } };
    return (await axe.run(given)).violations;
  }, options as object);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id}: ${help}: ${target.join(' ')}: ${failureSummary?.replaceAll(/\s+/g, ' ') ?? ''}`,
    ),
  );
}
