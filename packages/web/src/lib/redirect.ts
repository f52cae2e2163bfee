/** Target after sign-in: a path of this console, never an external address; else home. */
export function safeRedirect(wanted: string | undefined): string {
  return wanted !== undefined && /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/login')
    ? wanted
    : '/home'
}
