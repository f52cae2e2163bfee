import { Button, Group, List, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconLock, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { dependencyPath } from '../../ui/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Loading } from '../../ui/Loading.tsx'
import { RouterLink } from '../../ui/RouterLink.tsx'
import { Section } from '../../ui/Section.tsx'
import { DeleteDevice } from './DeleteDevice.tsx'
import type { Device } from './queries.ts'

/** What hangs on a device, and its deletion. */
export function DependenciesTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const list = useQuery(api.virtualdevice.dependencies.queryOptions({ input: { id: device.id } }))
  if (list.isError) return <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
  if (!list.data) return <Loading lines={3} />
  const { items, blocking, more } = list.data
  return (
    <Stack gap="md">
      <Section title={t('devices.dependencies.title')} description={t('devices.dependencies.text')}>
        {items.length === 0 ? (
          <EmptyState icon={IconCircleCheck} title={t('devices.dependencies.none')} compact />
        ) : (
          <List spacing={6} size="sm" listStyleType="none">
            {items.map((item) => {
              const path = dependencyPath(item)
              return (
                <List.Item key={`${item.kind}-${item.id}`}>
                  <Group gap={8}>
                    <Text span size="sm" c="dimmed">
                      {t(`danger.kinds.${item.kind}`)}
                    </Text>
                    {path ? <RouterLink to={path}>{item.title}</RouterLink> : <span>{item.title}</span>}
                    {item.blocking ? (
                      <Group gap={4} c="var(--health-error)">
                        <Icon of={IconLock} size={14} />
                        <Text span size="xs">
                          {t('devices.dependencies.blocks')}
                        </Text>
                      </Group>
                    ) : null}
                  </Group>
                </List.Item>
              )
            })}
          </List>
        )}
        {more ? (
          <Text size="sm" c="dimmed" mt="xs">
            {t('danger.more')}
          </Text>
        ) : null}
      </Section>
      {device.editable ? (
        <Section
          title={t('devices.delete')}
          description={t(blocking ? 'devices.dependencies.blocked' : 'devices.deleteText')}
        >
          <Button
            color="red"
            variant="light"
            leftSection={<Icon of={IconTrash} />}
            disabled={blocking}
            onClick={() => setDeleting(true)}
          >
            {t('devices.delete')}
          </Button>
        </Section>
      ) : null}
      <DeleteDevice
        device={deleting ? device : undefined}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate({ to: '/virtual-devices' })}
      />
    </Stack>
  )
}
