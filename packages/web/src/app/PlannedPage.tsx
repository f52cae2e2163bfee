import { Group, List, Stack, Text, Title } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { sessionMeets, useSession } from '../lib/session.ts'
import { Icon } from '../ui/display/Icon.tsx'
import { RouterLink } from '../ui/page/RouterLink.tsx'
import { navIcon } from './nav.ts'
import { nearbyScreens } from './nearby.ts'
import type { ScreenRoute } from './routes.ts'
import classes from './shell.module.css'

/**
 * Placeholder for a screen that is not built yet: shows its planned content and audience, and links to
 * related screens.
 */
export function PlannedPage({ screen }: { screen: ScreenRoute }) {
  const { t } = useTranslation()
  const session = useSession()
  const icon = navIcon(screen.path)
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
