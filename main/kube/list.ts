import type { KubernetesObject } from '@kubernetes/client-node';
import { z } from 'zod';
import { isSlipwayError, SlipwayError } from '../base/errors.ts';
import { parseAnswer } from './answer.ts';
import { describeResource, resourcePath } from './api-paths.ts';
import type { ListOptions, ObjectList, ResourceType } from './kube.ts';
import type { KubeTransport, Query } from './transport.ts';
import { selectorQuery } from './watch.ts';

/** Objects in one page. */
export const pageSize = 500;
/** Bound on the pages of one list: 200,000 objects. */
const maximumPages = 400;

const pageSchema = z.object({
  metadata: z
    .object({ resourceVersion: z.string().default(''), continue: z.string().default('') })
    .default({ resourceVersion: '', continue: '' }),
  // One that is no object at all stands for itself as an empty one: whoever shows the others says that it was there.
  items: z.array(z.looseObject({}).catch({})).nullable(),
});

/** Reads a whole collection page by page. When its history goes away between two pages, it is read at once instead. */
export async function listAll<T extends KubernetesObject>(
  transport: KubeTransport,
  type: ResourceType,
  namespace: string | undefined,
  options: ListOptions,
): Promise<ObjectList<T>> {
  try {
    return await listPages(transport, type, namespace, options, pageSize);
  } catch (error) {
    if (!isSlipwayError(error, 'cluster.gone')) throw error;
    return listPages(transport, type, namespace, options, undefined);
  }
}

async function listPages<T extends KubernetesObject>(
  transport: KubeTransport,
  type: ResourceType,
  namespace: string | undefined,
  options: ListOptions,
  limit: number | undefined,
): Promise<ObjectList<T>> {
  const items: T[] = [];
  let token = '';
  const subject = describeResource(type, { namespace });
  for (let page = 0; page < maximumPages; page += 1) {
    const query: Query = [
      ...selectorQuery(options),
      ...(limit === undefined ? [] : [['limit', String(limit)] as const]),
      ...(token === '' ? [] : [['continue', token] as const]),
    ];
    const answer = await transport.json({
      path: resourcePath(type, { namespace }),
      query,
      subject,
      signal: options.signal,
      timeoutMs: options.timeoutMs,
    });
    const { items: kept, metadata } = parseAnswer(pageSchema, answer, transport.server, subject);
    for (const item of kept ?? []) items.push(item as unknown as T);
    const { resourceVersion, continue: next } = metadata;
    if (next === '') return { items, resourceVersion };
    token = next;
  }
  throw new SlipwayError({
    code: 'cluster.failed',
    message: `There are too many ${type.plural} to list.`,
    cause: `There are more than ${maximumPages * pageSize}.`,
    next: 'Choose one namespace, or narrow the list with a selector.',
  });
}
