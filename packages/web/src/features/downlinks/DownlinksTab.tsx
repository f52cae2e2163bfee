import type { DownlinkOffer } from '@leitstand/contract/downlinks'
import { Alert, Stack } from '@mantine/core'
import { useThrottledCallback } from '@mantine/hooks'
import { IconInfoCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import type { Device } from '../devices/index.ts'
import { DownlinkQueue } from './DownlinkQueue.tsx'
import { SendForm } from './SendForm.tsx'

/** Minimum time between reloads of a changing queue. */
const refreshEveryMs = 500

/** Sends downlinks to a device and shows their results. */
export default function DownlinksTab({ device }: { device: Device }) {
  const cache = useQueryClient()
  // Connectors and drivers change elsewhere, so this is always read again.
  const offer = useQuery({
    ...api.downlink.offer.queryOptions({ input: { id: device.id } }),
    staleTime: 0,
    refetchOnMount: 'always',
  })
  const refresh = useThrottledCallback(() => {
    void cache.invalidateQueries({ queryKey: api.downlink.key() })
  }, refreshEveryMs)
  useLive(`packets:${device.id}`, (message) => {
    if (message.kind === 'resync' || message.kind === 'packet') refresh()
  })
  if (offer.isError && !offer.data)
    return <ErrorState error={offer.error} onRetry={() => void offer.refetch()} />
  if (!offer.data) return <Loading lines={4} />
  return (
    <Stack gap="md">
      <Problem device={device} problem={offer.data.problem} />
      {offer.data.editable && offer.data.problem === null ? (
        <SendForm device={device} offer={offer.data} />
      ) : null}
      <DownlinkQueue device={device} editable={offer.data.editable} />
    </Stack>
  )
}

function Problem({ device, problem }: { device: Device; problem: DownlinkOffer['problem'] }) {
  const { t } = useTranslation()
  const can = useCan()
  if (problem === null) return null
  const isConnectors = problem === 'noWay' || problem === 'connectorDisabled'
  return (
    <Alert variant="light" color="gray" icon={<Icon of={IconInfoCircle} />}>
      {t(`downlinks.problems.${problem}`)}
      {isConnectors && can('all', 'manage') ? (
        <div>
          <RouterLink to={`/connectors/edit/${device.accountId}/${device.connectorId}`}>
            {device.connectorName}
          </RouterLink>
        </div>
      ) : null}
    </Alert>
  )
}
