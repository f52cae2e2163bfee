import { Button, Stack } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { UsedBy } from '../objects/index.ts'
import { DeleteDevice } from './DeleteDevice.tsx'
import type { Device } from './queries.ts'

/** What uses a device, and its deletion. */
export function DependenciesTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const list = useQuery(api.virtualdevice.dependencies.queryOptions({ input: { id: device.id } }))
  const blocking = list.data?.blocking ?? false
  return (
    <Stack gap="md">
      <UsedBy of="device" id={device.id} />
      {device.editable ? (
        <Section
          title={t('devices.delete')}
          description={t(blocking ? 'devices.dependencies.blocked' : 'devices.deleteText')}
        >
          <Button
            color="red"
            variant="light"
            leftSection={<Icon of={IconTrash} />}
            disabled={blocking || !list.data}
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
