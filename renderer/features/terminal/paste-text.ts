/** Lines of a paste that are shown before it is sent. */
const shownLines = 20;

/**
 * What is pasted, without anything that a program could take for keys: an escape in it could end the bracketed paste
 * and go on as typed commands.
 */
export function pasteText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** The lines to ask about: a program that does not know a paste from typing would run them at once. */
export function linesToConfirm(text: string, bracketed: boolean): readonly string[] | undefined {
  if (bracketed) return undefined;
  const lines = text.split('\n');
  // A line feed at the end runs the line as well, so that one counts too.
  if (lines.length < 2) return undefined;
  const shown = lines.slice(0, shownLines);
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `… and ${more.toLocaleString()} more lines`] : shown;
}
