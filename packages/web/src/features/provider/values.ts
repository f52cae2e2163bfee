import type { Application, ApplicationScope } from '@leitstand/contract'
import { ApplicationInput, isRedirectUri, redirectUrisMax } from '@leitstand/contract/applications'
import i18next from 'i18next'
import { check } from '../../lib/validation.ts'

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

const checkInput = check(ApplicationInput)

/** Errors by form field. */
export function faultsOf(values: ApplicationValues): Record<string, string> {
  const uris = linesOf(values.redirectUris)
  const faults = checkInput({ ...inputOf(values), redirectUris: uris.filter(isRedirectUri) })
  return {
    ...faults,
    ...(faults.homepage ? { homepage: i18next.t('applications.homepageFault') } : {}),
    ...(uris.length === 0 ? { redirectUris: i18next.t('validation.required') } : {}),
    ...(uris.length > redirectUrisMax ? { redirectUris: i18next.t('applications.redirectUrisTooMany') } : {}),
    ...(uris.every(isRedirectUri) ? {} : { redirectUris: i18next.t('applications.redirectUrisFault') }),
    ...(values.scopes.length === 0 ? { scopes: i18next.t('validation.required') } : {}),
  }
}

function linesOf(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((line) => line !== ''))]
}
