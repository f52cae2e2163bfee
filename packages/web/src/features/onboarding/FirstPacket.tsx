import { Button, Group, Loader, Stack, Text, Title } from '@mantine/core'
import { IconArrowRight, IconCircleCheck, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { LiveDot } from '../../ui/display/LiveDot.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { SendHint } from '../connectors/index.ts'
import { type Device, PacketDetails } from '../devices/index.ts'
import classes from './create.module.css'

/** Polling interval for the first packet without a live connection. */
const askEveryMs = 5000

/** Waits for the new device's first packet and shows how it was decoded. */
export function FirstPacket({ device, onAnother }: { device: Device; onAnother: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const options = api.virtualdevice.packets.queryOptions({ input: { id: device.id, limit: 1 } })
  const list = useQuery({
    ...options,
    refetchInterval: ({ state }) => ((state.data?.items.length ?? 0) > 0 ? false : askEveryMs),
  })
  useLive(`packets:${device.id}`, (message) => {
    if (message.kind === 'packet' || message.kind === 'resync')
      void cache.invalidateQueries({ queryKey: options.queryKey })
  })
  const packet = list.data?.items[0]
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1}>{t('devices.first.title', { title: device.title })}</Title>
          <Text c="dimmed" size="sm">
            {t(packet ? 'devices.first.arrivedText' : 'devices.first.waitingText')}
          </Text>
        </div>
        <Group gap={8}>
          <Button variant="default" leftSection={<Icon of={IconPlus} />} onClick={onAnother}>
            {t('devices.first.another')}
          </Button>
          <Button
            rightSection={<Icon of={IconArrowRight} />}
            onClick={() => void navigate({ to: `/virtual-devices/${device.id}` })}
          >
            {t('devices.first.open')}
          </Button>
        </Group>
      </Group>
      <Section
        title={
          <span className={classes.waiting} role="status">
            {packet ? (
              <span className={classes.done}>
                <Icon of={IconCircleCheck} size={20} />
              </span>
            ) : (
              <Loader size={16} />
            )}
            {t(packet ? 'devices.first.arrived' : 'devices.first.waiting')}
          </span>
        }
        actions={<LiveDot />}
      >
        {packet ? (
          <PacketDetails packet={packet} deviceId={device.id} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('devices.first.identifier', {
              identifier: device.externalId,
              connector: device.connectorName,
            })}
          </Text>
        )}
      </Section>
      {packet ? null : <SendHint device={device} />}
    </Stack>
  )
}
