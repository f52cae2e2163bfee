import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { StateBadge } from './StateBadge.tsx'

/** Beside the title of a delivered driver: a newer version came with the platform; leads to what it changes. */
export function UpdateNote({ driverId }: { driverId: number }) {
  const { t } = useTranslation()
  const waiting = useQuery(
    api.devicedrivers.library.queryOptions({ input: { states: ['updatable'], limit: 1000 } }),
  )
  const entry = waiting.data?.items.find((each) => each.driverId === driverId)
  if (!entry) return null
  return (
    <RouterLink
      to={`/virtual-device-drivers/library/${entry.key}`}
      title={t('drivers.library.lookAt', { title: entry.title })}
      underline="never"
    >
      <StateBadge state={entry.state} />
    </RouterLink>
  )
}
