import type { Application, ApplicationScope } from '@leitstand/contract'
import { isRedirectUri, redirectUrisMax } from '@leitstand/contract/applications'

/** What is entered about an application. */
export interface ApplicationValues {
  title: string
  description: string
  icon: string | null
  homepage: string
  kind: 'confidential' | 'public'
  /** one in each line */
  redirectUris: string
  scopes: ApplicationScope[]
}

export function valuesOf(application: Application | null): ApplicationValues {
  return {
    title: application?.title ?? '',
    description: application?.description ?? '',
    icon: application?.icon ?? null,
    homepage: application?.homepage ?? '',
    kind: application?.kind ?? 'confidential',
    redirectUris: application?.redirectUris.join('\n') ?? '',
    scopes: application?.scopes ?? ['openid', 'profile', 'email'],
  }
}

/** The values as the API takes them. */
export function inputOf(values: ApplicationValues) {
  const homepage = values.homepage.trim()
  return {
    title: values.title.trim(),
    description: values.description.trim(),
    icon: values.icon,
    homepage: homepage === '' ? null : homepage,
    redirectUris: linesOf(values.redirectUris),
    scopes: values.scopes,
  }
}

/** What is wrong, as keys of texts. */
export function faultsOf(values: ApplicationValues): Partial<Record<keyof ApplicationValues, string>> {
  const uris = linesOf(values.redirectUris)
  const homepage = values.homepage.trim()
  return {
    ...(values.title.trim() === '' ? { title: 'validation.required' } : {}),
    ...(homepage === '' || URL.parse(homepage)?.protocol === 'https:'
      ? {}
      : { homepage: 'applications.homepageFault' }),
    ...(uris.length === 0 ? { redirectUris: 'validation.required' } : {}),
    ...(uris.length > redirectUrisMax ? { redirectUris: 'applications.redirectUrisTooMany' } : {}),
    ...(uris.every(isRedirectUri) ? {} : { redirectUris: 'applications.redirectUrisFault' }),
    ...(values.scopes.length === 0 ? { scopes: 'validation.required' } : {}),
  }
}

function linesOf(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((line) => line !== ''))]
}
