import { readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import type { Instance } from './instance.ts';

/** An answer of the API server; `body` is parsed JSON, or the text when it is none. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiClient extends Disposable {
  readonly request: (method: string, resource: string, body?: object) => Promise<ApiAnswer>;
  /** Server-side apply: makes the object or brings it into line. */
  readonly apply: (resource: string, object: object) => Promise<void>;
}

/** No answer within this time counts as none; the API server may be stopped or starting. */
const requestTimeoutMilliseconds = 5000;

/** A few plain requests as administrator; no library, because the orchestrator has none. */
export function connectApi(instance: Instance): ApiClient {
  const certificate = (file: string) => readFileSync(path.join(instance.stateFolder, 'certificates', file));
  const agent = new https.Agent({
    keepAlive: true,
    ca: certificate('ca.crt'),
    cert: certificate('admin.crt'),
    key: certificate('admin.key'),
  });
  const request = (method: string, resource: string, body?: object) =>
    send({ agent, method, url: `${instance.apiServer}${resource}`, body });
  return {
    request,
    apply: async (resource, object) => {
      const answer = await request('PATCH', `${resource}?fieldManager=slipway-sandbox&force=true`, object);
      if (answer.status >= 300)
        throw new Error(`apply ${resource}: ${answer.status} ${JSON.stringify(answer.body)}`);
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

interface SendOptions {
  readonly agent: https.Agent;
  readonly method: string;
  readonly url: string;
  readonly body: object | undefined;
}

function send(options: SendOptions): Promise<ApiAnswer> {
  const { agent, method, url, body } = options;
  const headers = {
    'content-type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json',
  };
  return new Promise((resolve, reject) => {
    const request = https.request(
      url,
      { agent, method, headers, timeout: requestTimeoutMilliseconds },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: parse(text) }));
      },
    );
    request.once('timeout', () => request.destroy(new Error(`${method} ${url}: no answer`)));
    request.once('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
