import type { MailTemplate } from '@leitstand/contract/mailTemplates'
import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface OriginBadgeProps extends Pick<MailTemplate, 'state' | 'accountName'> {
  /** e.g. the language */
  prefix: string | null
}

/** Whose words an email has. */
export function OriginBadge({ state, accountName, prefix }: OriginBadgeProps) {
  const { t } = useTranslation()
  const text =
    state === 'inherited' && accountName !== null
      ? t('mailTemplates.inheritedFrom', { account: accountName })
      : t(`mailTemplates.state.${state}`)
  return (
    <Badge variant={state === 'own' ? 'light' : 'default'} tt="none" fw={500}>
      {prefix === null ? text : `${prefix}: ${text}`}
    </Badge>
  )
}
