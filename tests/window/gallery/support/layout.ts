import type { Page } from 'playwright-core';

/** What is wrong with how the page is laid out now: a line for each place. */
export function layoutProblems(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const problems: string[] = [];
    const nameOf = (element: Element): string => {
      const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
      return `${element.tagName.toLowerCase()}.${element.getAttribute('class')?.split(' ')[0] ?? ''} "${text}"`;
    };
    const isSeen = (element: Element): boolean =>
      element.closest('[inert], [aria-hidden="true"]') === null &&
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const clips = (style: CSSStyleDeclaration) =>
      style.overflowX !== 'visible' || style.overflowY !== 'visible' || style.clipPath !== 'none';
    /** The part of an element that its ancestors let be seen. */
    const seenRect = (element: Element): DOMRect | undefined => {
      let { left, top, right, bottom } = element.getBoundingClientRect();
      for (let above = element.parentElement; above !== null; above = above.parentElement) {
        const style = getComputedStyle(above);
        if (!clips(style)) continue;
        const box = above.getBoundingClientRect();
        left = Math.max(left, box.left);
        top = Math.max(top, box.top);
        right = Math.min(right, box.right);
        bottom = Math.min(bottom, box.bottom);
      }
      return right - left > 1 && bottom - top > 1
        ? new DOMRect(left, top, right - left, bottom - top)
        : undefined;
    };

    const root = document.documentElement;
    for (const box of [root, document.body, document.querySelector('#page')])
      if (box !== null && box.scrollWidth > box.clientWidth + 1)
        problems.push(
          `${nameOf(box).slice(0, 12)} is ${box.scrollWidth - box.clientWidth} px wider than its place`,
        );

    // Texts that are cut although nothing says that they go on.
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || node.textContent?.trim() === '' || !isSeen(parent)) continue;
      if (parent.closest('.xterm, .hidden-visually, script, style, title, option') !== null) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      if (text.width < 2 || text.height < 2) continue;
      for (let above: HTMLElement | null = parent; above !== null; above = above.parentElement) {
        const style = getComputedStyle(above);
        if (style.textOverflow === 'ellipsis' && style.overflowX !== 'visible') break;
        if (style.webkitLineClamp !== 'none') break;
        const box = above.getBoundingClientRect();
        if (/auto|scroll/.test(style.overflowX) || /auto|scroll/.test(style.overflowY)) {
          const wide = text.right > box.right + 1 && !/auto|scroll/.test(style.overflowX);
          if (wide) problems.push(`text is cut: ${nameOf(parent)}`);
          break;
        }
        if (style.overflowX === 'hidden' || style.overflowX === 'clip') {
          if (text.right > box.right + 1 || text.left < box.left - 1 || text.bottom > box.bottom + 2) {
            problems.push(`text is cut: ${nameOf(parent)} by ${nameOf(above).slice(0, 40)}`);
            break;
          }
        }
        if (style.position === 'fixed') break;
      }
    }

    // Things to press that lie over each other.
    const controls = [
      ...document.querySelectorAll(
        'a[href], button, input, select, textarea, summary, [role="tab"], [role="checkbox"], [role="radio"], [role="switch"], [role="treeitem"]',
      ),
    ].filter(
      (element) =>
        isSeen(element) &&
        element.closest('.hidden-visually, .xterm, [data-base-ui-focus-guard]') === null &&
        !(element instanceof HTMLInputElement && element.getAttribute('aria-hidden') === 'true') &&
        getComputedStyle(element).position !== 'fixed',
    );
    const modal = document.querySelector('[role="dialog"], [role="alertdialog"]');
    const rects = controls
      .filter((element) => modal === null || modal.contains(element))
      .flatMap((element) => {
        const rect = seenRect(element);
        return rect === undefined || rect.width < 3 || rect.height < 3 ? [] : [{ element, rect }];
      });
    rects.forEach(({ element, rect }, index) => {
      for (const other of rects.slice(index + 1)) {
        if (element.contains(other.element) || other.element.contains(element)) continue;
        const width = Math.min(rect.right, other.rect.right) - Math.max(rect.left, other.rect.left);
        const height = Math.min(rect.bottom, other.rect.bottom) - Math.max(rect.top, other.rect.top);
        if (width > 2 && height > 2) problems.push(`${nameOf(element)} lies over ${nameOf(other.element)}`);
      }
    });
    return [...new Set(problems)];
  });
}

/** Things to press that nobody can get into sight, by whatever scrolling. */
export function unreachable(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const missed: string[] = [];
    const controls = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [role="tab"], [tabindex="0"]',
    );
    for (const element of controls) {
      if (element.closest('[inert], [aria-hidden="true"], .hidden-visually, .xterm') !== null) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (element.getBoundingClientRect().width < 3 || getComputedStyle(element).position === 'fixed')
        continue;
      if (element.matches('[class*="skip"]')) continue;
      element.scrollIntoView({ block: 'center', inline: 'nearest' });
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      const x = Math.min(right - 2, Math.max(left + 2, Math.min(left + width / 2, innerWidth - 2)));
      const y = Math.min(top + height / 2, innerHeight - 2);
      const there = document.elementFromPoint(x, Math.max(y, 1));
      const hit =
        there !== null &&
        (element.contains(there) ||
          there.contains(element) ||
          there.closest('label')?.contains(element) === true);
      if (
        hit &&
        (left >= -1 || width > innerWidth) &&
        (right <= innerWidth + 1 || width > innerWidth / 2) &&
        top >= -1 - Math.max(0, height - innerHeight)
      )
        continue;
      const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
      missed.push(
        `${element.tagName.toLowerCase()} "${text}" at ${Math.round(left)},${Math.round(top)} to ${Math.round(right)},${Math.round(bottom)}, where ${there?.tagName.toLowerCase() ?? 'nothing'}.${there?.getAttribute('class')?.slice(0, 24) ?? ''} is`,
      );
    }
    return [...new Set(missed)];
  });
}
