import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { recentStore, thingPath } from '../../lib/recent.ts'
import { useUser } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './home.module.css'
import { kindIcons } from './kindIcons.ts'
import { Panel } from './Panel.tsx'

/** Pages the user has opened lately in this browser. */
export function Recently() {
  const { t } = useTranslation()
  const { id: userId } = useUser()
  const entries = useStore(recentStore)
    .filter((entry) => entry.userId === userId)
    .slice(0, 8)
  return (
    <Panel title={t('home.recent')}>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed" p="md" pt={4}>
          {t('home.noRecent')}
        </Text>
      ) : (
        <ul className={classes.rows}>
          {entries.map((entry) => (
            <li key={`${entry.kind}-${entry.id}`} className={classes.row}>
              <Icon of={kindIcons[entry.kind]} />
              <span className={classes.rowText}>
                <RouterLink to={thingPath(entry.kind, entry.id)} c="inherit" fw={550}>
                  {entry.title}
                </RouterLink>
              </span>
              <Text span size="sm" c="dimmed">
                <RelativeTime time={entry.at} />
              </Text>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
