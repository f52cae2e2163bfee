import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from '../../lib/live.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import type { Connector } from './queries.ts'

/** When a message last arrived, following live traffic. */
export function LastMessage({ connector }: { connector: Pick<Connector, 'id' | 'lastMessageAt'> }) {
  const { t } = useTranslation()
  const [liveMs, setLiveMs] = useState(0)
  useLive(`connector:${connector.id}`, (message) => {
    if (message.kind === 'traffic') setLiveMs(message.timeMs)
  })
  const readMs = connector.lastMessageAt === null ? 0 : Date.parse(connector.lastMessageAt)
  const lastMs = Math.max(readMs, liveMs)
  return <RelativeTime time={lastMs > 0 ? lastMs : null} empty={t('connectors.noMessage')} />
}
