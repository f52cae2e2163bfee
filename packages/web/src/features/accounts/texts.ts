import type { TFunction } from 'i18next'
import { formatDate, formatTime } from '../../lib/format.ts'
import type { AccountDomain, Integration, MailSettings } from './queries.ts'

export function stateText(domain: AccountDomain, t: TFunction): string {
  const { state, method, provenAt, lapsesAt } = domain
  const day = formatDate(lapsesAt ?? provenAt ?? domain.claimedAt)
  if (state === 'proven')
    return t(method === null ? 'domains.about.earlier' : `domains.about.${method}`, { day })
  return t(`domains.about.${state}`, { day })
}

export function inheritedText(
  { kind, accountName, sender }: MailSettings['inherited'],
  t: TFunction,
): string {
  if (kind === 'none') return t('mailServer.inherited.none')
  const values = { name: accountName ?? '', sender: sender ?? '' }
  if (kind === 'platform') return t('mailServer.inherited.platform', values)
  return accountName === null ? t('mailServer.inherited.above') : t('mailServer.inherited.account', values)
}

/** When, by whom and where it was switched on, as far as the user may see it. */
export function sinceText(t: TFunction, { since, by, from }: Integration): string {
  const time = since === null ? '' : formatTime(since)
  const begun = by === null ? t('integrations.since', { time }) : t('integrations.sinceBy', { time, by })
  const place =
    from === null
      ? ''
      : from.name
        ? t('integrations.fromAccount', { name: from.name })
        : t('integrations.fromAbove')
  return [begun, place, t('integrations.stays')].filter(Boolean).join(' ')
}
