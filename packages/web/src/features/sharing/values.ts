import type { Share } from '@leitstand/contract/sharing'

/** What the form of a link holds. */
export interface ShareValues {
  /** local time; empty: without an end */
  validUntil: string
  withPassword: boolean
  /** the password stays as it is */
  keepsPassword: boolean
  password: string
  origins: string[]
}

/** Local time as date fields take it, to the minute. */
function localOf(time: string): string {
  const at = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

export function valuesOf(share: Share | null): ShareValues {
  return {
    validUntil: share?.validUntil ? localOf(share.validUntil) : '',
    withPassword: share?.hasPassword ?? false,
    keepsPassword: share?.hasPassword ?? false,
    password: '',
    origins: share?.origins ?? [],
  }
}

/** The settings to save; without `password` it stays unchanged. */
export function settingsOf({ validUntil, withPassword, keepsPassword, password, origins }: ShareValues): {
  validUntil: string | null
  origins: string[]
  password?: string | null
} {
  return {
    validUntil: validUntil === '' ? null : new Date(validUntil).toISOString(),
    origins,
    ...(withPassword && keepsPassword ? {} : { password: withPassword ? password : null }),
  }
}
