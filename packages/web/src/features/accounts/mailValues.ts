import { type MailServerInput, MailServerInput as Schema } from '@leitstand/contract/mails'
import { check } from '../../lib/validation.ts'
import type { MailSettings } from './queries.ts'

/** The form of a mail server. */
export interface MailValues extends Record<string, unknown> {
  /** false inherits */
  own: boolean
  host: string
  port: number | null
  security: MailServerInput['security']
  user: string
  /** empty: keeps the stored one */
  password: string
  senderName: string
  senderAddress: string
}

/** Default ports of mail servers. */
export const usualPorts: Readonly<Record<MailServerInput['security'], number>> = {
  none: 25,
  starttls: 587,
  tls: 465,
}

export function toMailValues({ own }: MailSettings): MailValues {
  const { hasPassword: _kept, ...server } = own ?? { hasPassword: false }
  return {
    own: own !== null,
    host: '',
    port: usualPorts.starttls,
    security: 'starttls',
    user: '',
    senderName: '',
    senderAddress: '',
    ...server,
    password: '',
  }
}

/** @returns undefined when the server is inherited */
export function toMailInput({ own, password, ...values }: MailValues): MailServerInput | undefined {
  if (!own) return undefined
  const { host, port, security, user, senderName, senderAddress } = values
  return {
    host: host.trim(),
    port: port ?? 0,
    security,
    user: user.trim(),
    senderName,
    senderAddress,
    ...(password === '' ? {} : { password }),
  }
}

/** Changes the kind of security, and the port too if it was the previous kind's default. */
export function withSecurity(
  values: Pick<MailValues, 'security' | 'port'>,
  security: MailServerInput['security'],
): Pick<MailValues, 'security' | 'port'> {
  return { security, port: values.port === usualPorts[values.security] ? usualPorts[security] : values.port }
}

const faultsOf = check(Schema)

/** Errors by form field. */
export function checkMail(values: MailValues): Record<string, string> {
  const input = toMailInput(values)
  return input ? faultsOf(input) : {}
}
