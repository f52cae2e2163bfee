/** Whether the page is drawn to be printed: what is only true while somebody looks at it has no meaning there. */
export function isOnPaper(): boolean {
  return globalThis.location?.hash.startsWith('#/print/') === true
}
