/** Path of the single sign-on routes; their cookies are limited to it. */
export const ssoPath = '/api/auth/sso'

/**
 * The address of the console under a domain of an account, with scheme, port and path of the public address.
 */
export function originOf(publicUrl: string, domain: string): string {
  const url = new URL(publicUrl)
  url.hostname = domain
  return url.href.replace(/\/+$/, '')
}

export function callbackUrl(origin: string, key: string): string {
  return `${origin}${ssoPath}/${key}/callback`
}

/** Redirect URIs to register at the provider: one for every domain with a login page. */
export function redirectUris(publicUrl: string, domains: readonly string[], key: string): string[] {
  const origins = [publicUrl, ...domains.map((domain) => originOf(publicUrl, domain))]
  return [...new Set(origins)].map((origin) => callbackUrl(origin, key))
}

/** The login page, with an error or the prompt for the second factor. */
export function loginUrl(
  origin: string,
  query: { error?: string; step?: 'code'; redirect?: string },
): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''))
  return `${origin}/#/login?${search}`
}
