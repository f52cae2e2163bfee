import { Alert } from '@mantine/core'
import { IconArrowUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'

/** On the page of a delivered driver: a newer version came with the platform. */
export function UpdateNote({ driverId }: { driverId: number }) {
  const { t } = useTranslation()
  const waiting = useQuery(
    api.devicedrivers.library.queryOptions({ input: { states: ['updatable'], limit: 1000 } }),
  )
  const entry = waiting.data?.items.find((each) => each.driverId === driverId)
  if (!entry) return null
  return (
    <Alert variant="light" color="yellow" icon={<Icon of={IconArrowUp} />} mt="md">
      {t('drivers.library.waiting')}{' '}
      <RouterLink to={`/virtual-device-drivers/library/${entry.key}`}>{t('drivers.library.look')}</RouterLink>
    </Alert>
  )
}
