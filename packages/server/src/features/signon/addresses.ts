/** Where the routes of single sign-on stand; cookies are sent there and nowhere else. */
export const ssoPath = '/api/auth/sso'

/** The address of the console under a domain of an account; scheme, port and path are those of the public one. */
export function originOf(publicUrl: string, domain: string): string {
  const url = new URL(publicUrl)
  url.hostname = domain
  return url.href.replace(/\/+$/, '')
}

export function callbackUrl(origin: string, key: string): string {
  return `${origin}${ssoPath}/${key}/callback`
}

/** What the provider has to know: one address for every domain under which somebody may sign in. */
export function redirectUris(publicUrl: string, domains: readonly string[], key: string): string[] {
  const origins = [publicUrl, ...domains.map((domain) => originOf(publicUrl, domain))]
  return [...new Set(origins)].map((origin) => callbackUrl(origin, key))
}

/** The login page with what went wrong, or with the question for the second factor. */
export function loginUrl(
  origin: string,
  query: { error?: string; step?: 'code'; redirect?: string },
): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  return `${origin}/#/login?${search}`
}
