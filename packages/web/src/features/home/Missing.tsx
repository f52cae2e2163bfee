import { Text } from '@mantine/core'
import { IconChevronRight, IconMailOff, IconShieldOff, IconUserQuestion } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useUser } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './home.module.css'
import { Panel } from './Panel.tsx'

const refreshMs = 60_000

/** What administrators have not set up yet; nothing when all of it is. */
export function Missing() {
  const { t } = useTranslation()
  const user = useUser()
  const mails = useQuery(api.mail.state.queryOptions({ refetchInterval: refreshMs }))
  const factor = useQuery(api.twofactor.status.queryOptions())
  const all = [
    {
      key: 'mail',
      icon: IconMailOff,
      isMissing: mails.data?.hasServer === false,
      to: `/account-mgmt/${user.accountId}?tab=mail`,
      title: t('home.mail.noServer'),
      text: t('home.mail.noServerText'),
    },
    {
      key: 'address',
      icon: IconUserQuestion,
      isMissing: user.email.endsWith('@localhost'),
      to: '/user-profile',
      title: t('overview.missing.address', { address: user.email }),
      text: t('overview.missing.addressText'),
    },
    {
      key: 'factor',
      icon: IconShieldOff,
      isMissing: factor.data?.enabled === false && factor.data.hasPassword,
      to: '/user-profile',
      title: t('overview.missing.factor'),
      text: t('overview.missing.factorText'),
    },
  ].filter(({ isMissing }) => isMissing)
  if (all.length === 0) return null
  return (
    <Panel title={t('overview.missing.title')}>
      <ul className={classes.rows}>
        {all.map(({ key, icon, to, title, text }) => (
          <li key={key}>
            <RouterLink to={to} underline="never" c="inherit" className={`${classes.row} ${classes.rowLink}`}>
              <Icon of={icon} />
              <span className={classes.rowText}>
                <Text span size="sm" fw={550}>
                  {title}
                </Text>
                <Text span size="sm" c="dimmed">
                  {text}
                </Text>
              </span>
              <Icon of={IconChevronRight} size={16} />
            </RouterLink>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
