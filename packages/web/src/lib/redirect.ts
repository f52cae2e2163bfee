/** Where to go after signing in: a path of our own console, never a foreign address; else home. */
export function safeRedirect(wanted: string | undefined): string {
  return wanted !== undefined && /^\/(?![/\\])/.test(wanted) && !wanted.startsWith('/login')
    ? wanted
    : '/home'
}
