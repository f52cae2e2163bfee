import type { TFunction } from 'i18next'

export const reasonLengthMax = 500
const reasonLengthMin = 3

/** The fault of a reason that is too short. */
export function reasonFault(reason: string, t: TFunction): { reason?: string } {
  const { length } = reason.trim()
  if (length === 0) return { reason: t('validation.required') }
  return length < reasonLengthMin ? { reason: t('validation.tooShort', { limit: reasonLengthMin }) } : {}
}
