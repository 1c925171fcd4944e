/** Whether the keyboard is a Mac's: Cmd is what Ctrl is elsewhere. */
export function isMac(): boolean {
  return navigator.userAgent.includes('Macintosh');
}
