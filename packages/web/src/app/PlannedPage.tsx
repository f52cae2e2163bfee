import { Group, List, Stack, Text, Title } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { sessionMeets, useSession } from '../lib/session.ts'
import { Icon } from '../ui/display/Icon.tsx'
import { RouterLink } from '../ui/page/RouterLink.tsx'
import { activeNavPath, navigation } from './nav.ts'
import { type ScreenRoute, screens } from './routes.ts'
import classes from './shell.module.css'

/**
 * Placeholder for a screen that is not built yet: shows its planned content and audience, and links to
 * related screens.
 */
export function PlannedPage({ screen }: { screen: ScreenRoute }) {
  const { t } = useTranslation()
  const session = useSession()
  const icon = navigation
    .flatMap((group) => group.items)
    .find((item) => item.path === activeNavPath([{ key: 'help', items: [item] }], screen.path))?.icon
  const nearby = nearbyScreens(screen).filter((other) => sessionMeets(session, other.rule))
  const points = t(`screens.${screen.key}.holds`).split('; ')
  return (
    <div className={classes.planned}>
      <Stack gap="lg">
        <Group gap="sm" wrap="nowrap" align="center">
          {icon ? (
            <span className={classes.plannedIcon}>
              <Icon of={icon} size={22} />
            </span>
          ) : null}
          <Title order={1}>{t(`screens.${screen.key}.title`)}</Title>
        </Group>
        <Stack gap={6}>
          <Title order={2}>{t('planned.holds')}</Title>
          <List spacing={6} className={classes.plannedList}>
            {points.map((point) => (
              <List.Item key={point}>{point}</List.Item>
            ))}
          </List>
        </Stack>
        <Group gap={8} c="dimmed" wrap="nowrap">
          <Icon of={IconUsers} />
          <Text size="sm">{t(`planned.audience.${screen.audience}`)}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          {t('planned.note')}
        </Text>
        {nearby.length > 0 ? (
          <Stack gap={6}>
            <Title order={2}>{t('planned.nearby')}</Title>
            <Group gap="md">
              {nearby.map((other) => (
                <RouterLink key={other.path} to={other.path}>
                  {t(`screens.${other.key}.title`)}
                </RouterLink>
              ))}
            </Group>
          </Stack>
        ) : null}
      </Stack>
    </div>
  )
}

/** Built screens of the same drawer group that open without parameters; home if there are none. */
function nearbyScreens(screen: ScreenRoute): ScreenRoute[] {
  if (screen.layout !== 'shell') return screens.filter((other) => other.path === '/home')
  const open = screens.filter((other) => other.load && other.layout === 'shell' && !other.path.includes('$'))
  const group = navigation.find((each) => activeNavPath([each], screen.path) !== undefined)
  const near = open
    .filter(
      (other) => group && activeNavPath([group], other.path) !== undefined && other.path !== '/user-profile',
    )
    .slice(0, 5)
  return near.length > 0 ? near : open.filter((other) => other.path === '/home')
}
