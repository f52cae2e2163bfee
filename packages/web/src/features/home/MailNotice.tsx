import { Alert, Group, Text } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useUser } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'

const mailsEveryMs = 60_000

/** Tells administrators that there is no mail server, or that mails were not sent. */
export default function MailNotice() {
  const { t } = useTranslation()
  const { accountId } = useUser()
  const { data } = useQuery(api.mail.state.queryOptions({ refetchInterval: mailsEveryMs }))
  if (!data) return null
  const { hasServer, kept, failed, delayed } = data
  const counts = Object.entries({ kept, failed, delayed }).filter(([, count]) => count > 0)
  if (hasServer && counts.length === 0) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<Icon of={IconMailOff} />}
      title={t(hasServer ? 'home.mail.notSent' : 'home.mail.noServer')}
      mb={20}
    >
      {hasServer ? null : <Text size="sm">{t('home.mail.noServerText')}</Text>}
      {counts.map(([reason, count]) => (
        <Text size="sm" key={reason}>
          {t(`home.mail.${reason}`, { count })}
        </Text>
      ))}
      <Group gap="md" mt={6}>
        {hasServer ? null : (
          <RouterLink to={`/account-mgmt/${accountId}?tab=mail`} size="sm">
            {t('home.mail.setUp')}
          </RouterLink>
        )}
        {counts.length > 0 ? (
          <RouterLink
            to={`/system-logs?tab=mails&status=${kept > 0 ? 'kept' : failed > 0 ? 'failed' : 'queued'}`}
            size="sm"
          >
            {t('home.mail.show')}
          </RouterLink>
        ) : null}
      </Group>
    </Alert>
  )
}
