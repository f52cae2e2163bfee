import {
  type Announcement,
  type AnnouncementInput,
  AnnouncementInput as Input,
} from '@leitstand/contract/announcements'

/** What an administrator enters. */
export interface Values {
  accountId: number | null
  type: AnnouncementInput['type']
  presentationType: AnnouncementInput['presentationType']
  text: string
  url: string
  linkText: string
  active: boolean
  /** local times like 2026-03-04T12:30; empty: none */
  start: string
  end: string
  includeSubTenants: boolean
}

/** The form for a new announcement of an account. */
export function newValues(accountId: number | null): Values {
  return {
    accountId,
    type: 'info',
    presentationType: 'banner',
    text: '',
    url: '',
    linkText: '',
    active: true,
    start: '',
    end: '',
    includeSubTenants: false,
  }
}

/** The form for a stored announcement. */
export function valuesOf({ link, start, end, ...stored }: Announcement): Values {
  const { accountId, type, presentationType, text, active, includeSubTenants } = stored
  return {
    accountId,
    type,
    presentationType,
    text,
    active,
    includeSubTenants,
    url: link?.url ?? '',
    linkText: link?.text ?? '',
    start: localOf(start),
    end: localOf(end),
  }
}

/** A copy announces something again: without the times of the original if these are over. */
export function copyOf(stored: Announcement, nowMs: number): Values {
  const values = valuesOf(stored)
  const isOver = stored.end !== null && Date.parse(stored.end) <= nowMs
  return isOver ? { ...values, active: true, start: '', end: '' } : values
}

/** What is sent; a link without a name shows its host. */
export function inputOf(values: Values): AnnouncementInput {
  const { type, presentationType, text, active, includeSubTenants } = values
  const url = values.url.trim()
  return {
    type,
    presentationType,
    text,
    active,
    includeSubTenants,
    link: url === '' ? null : { url, text: values.linkText.trim() || (URL.parse(url)?.host ?? url) },
    start: utcOf(values.start),
    end: utcOf(values.end),
  }
}

/** Faults of the input, by the fields of the form. */
export function faultsBy(
  check: (input: unknown) => Record<string, string>,
  values: Values,
): Record<string, string> {
  const fields: Record<string, string> = { 'link.url': 'url', 'link.text': 'linkText' }
  return Object.fromEntries(
    Object.entries(check(inputOf(values))).map(([path, text]) => [fields[path] ?? path, text]),
  )
}

export const Schema = Input

function localOf(time: string | null): string {
  if (time === null) return ''
  const at = new Date(time)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function utcOf(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString()
}
