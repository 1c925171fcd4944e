/** Patterns of what addresses of pages and links are made of. Without the parser, so that a window can have them. */
export const clusterIdPattern = /^[a-z0-9]{1,64}$/;
/** Ids that main gives: of sessions and of terminals. */
export const ownIdPattern = /^[a-z0-9]{1,40}$/;
/** RFC 1123, as the API server has it for namespaces and containers and, with dots, for names of objects. */
export const labelPattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
export const objectNamePattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
