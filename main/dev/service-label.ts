import type { ServiceHealth } from '../../contract/sessions.ts';

export interface NamedService {
  /** Key of the service, and of its port. */
  readonly id: string;
  readonly kind: ServiceHealth['kind'];
  readonly label: string;
}

/** Which service a health event of a session is about, by the name that its event has. */
export function serviceOf(service: string, { devName }: { readonly devName: string }): NamedService {
  const forward = /^forward (\d{1,5}):(\d{1,5})$/.exec(service);
  if (forward !== null) {
    const [, local = '', remote = ''] = forward;
    return { id: `forward:${local}`, kind: 'forward', label: `Port ${local} → ${remote}` };
  }
  if (service === 'lease') return { id: 'lease', kind: 'lease', label: 'Lease' };
  return { id: 'pod', kind: 'pod', label: `Dev pod ${devName}` };
}
