import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile, IconEye } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { deviceOf } from './device.ts'
import classes from './profile.module.css'

export const sessionsFirst = 10
export const sessionsMax = 100

type Page = Awaited<ReturnType<typeof client.session.list>>
type Session = Page['items'][number]

interface SessionListProps {
  page: Page
  /** whether the sessions are the user's own */
  own: boolean
  onEnd: (id: number) => void
  /** shows up to `sessionsMax`; absent when they are shown */
  onMore: (() => void) | undefined
}

/** Sessions of a user; each but the current one can be ended. */
export function SessionList({ page, own, onEnd, onMore }: SessionListProps) {
  const { t } = useTranslation()
  const left = page.total - page.items.length
  return (
    <Stack gap={0}>
      <ul className={classes.sessions}>
        {page.items.map((session) => (
          <Row key={session.id} session={session} own={own} onEnd={() => onEnd(session.id)} />
        ))}
      </ul>
      {left > 0 && onMore ? (
        <Button variant="subtle" onClick={onMore} style={{ alignSelf: 'start' }}>
          {t('sessions.more', { count: left })}
        </Button>
      ) : null}
    </Stack>
  )
}

function otherKey(own: boolean, looking: boolean) {
  if (own) return looking ? 'sessions.looksAsYou' : 'sessions.asYou'
  return looking ? 'sessions.looksAsUser' : 'sessions.asUser'
}

function Row({ session, own, onEnd }: { session: Session; own: boolean; onEnd: () => void }) {
  const { t } = useTranslation()
  const { browser, system, mobile } = deviceOf(session.userAgent)
  const known = [browser, system].filter((part) => part !== null)
  const name = known.length > 0 ? known.join(' · ') : session.userAgent.slice(0, 60) || t('sessions.unknown')
  const asOther = session.impersonatorName !== null
  return (
    <li className={classes.session}>
      <Icon of={asOther ? IconEye : mobile ? IconDeviceMobile : IconDeviceDesktop} />
      <div className={classes.sessionText}>
        <Group gap={8}>
          <Text size="sm" fw={550}>
            {asOther ? t(otherKey(own, session.looking), { name: session.impersonatorName }) : name}
          </Text>
          {session.current ? <Badge color="teal">{t('sessions.current')}</Badge> : null}
        </Group>
        <Text size="xs" c="dimmed">
          {session.ip ? `${session.ip} · ` : null}
          {t('sessions.used')} <RelativeTime time={session.lastUsedAt} />
          {' · '}
          {t('sessions.begun')} <RelativeTime time={session.createdAt} />
        </Text>
      </div>
      {session.current ? null : (
        <Button
          variant="default"
          size="compact-md"
          onClick={onEnd}
          aria-label={t('sessions.endNamed', { name })}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  )
}
