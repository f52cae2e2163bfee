import type { Application, ApplicationScope } from '@leitstand/contract'
import { isRedirectUri, redirectUrisMax } from '@leitstand/contract/applications'

/** Form values of an application. */
export interface ApplicationValues {
  title: string
  description: string
  icon: string | null
  homepage: string
  kind: 'confidential' | 'public'
  /** one per line */
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

/** Converts the values to the API's input. */
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

/** Errors, as text keys. */
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
