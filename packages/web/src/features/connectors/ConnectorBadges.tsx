import { Tooltip } from '@mantine/core'
import {
  IconArrowDown,
  IconArrowUp,
  IconCircleDashed,
  IconPlayerPause,
  IconPlugConnectedX,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLive } from '../../lib/live.ts'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import classes from './connectors.module.css'
import { kinds } from './kinds/index.ts'
import type { ConnectorKind, ConnectorState } from './queries.ts'

/** Icon and name of a kind, with an arrow for the direction: down is incoming, up is outgoing. */
export function KindLabel({ kind, direction = 'in' }: { kind: ConnectorKind; direction?: 'in' | 'out' }) {
  const { t } = useTranslation()
  return (
    <span className={classes.kind}>
      <Icon of={kinds[kind].icon} size={16} />
      {t(`connectors.kind.${kind}.name`)}
      <DirectionArrow direction={direction} />
    </span>
  )
}

function DirectionArrow({ direction }: { direction: 'in' | 'out' }) {
  const { t } = useTranslation()
  const label = t(`connectors.direction.${direction}`)
  return (
    <Tooltip label={label}>
      <span className={classes.arrow} role="img" aria-label={label}>
        <Icon of={direction === 'in' ? IconArrowDown : IconArrowUp} size={14} />
      </span>
    </Tooltip>
  )
}

const stateLooks: Record<ConnectorState, { tone: Tone; icon?: IconType }> = {
  waiting: { tone: 'unknown', icon: IconCircleDashed },
  connecting: { tone: 'warning', icon: IconCircleDashed },
  connected: { tone: 'ok' },
  listening: { tone: 'ok' },
  error: { tone: 'error', icon: IconPlugConnectedX },
  disabled: { tone: 'unknown', icon: IconPlayerPause },
}

function isState(text: string): text is ConnectorState {
  return text in stateLooks
}

interface StateProps {
  connector: { id: number; state: ConnectorState; stateMessage: string; stateAt: string }
  /** Updates from the live connection. */
  live?: boolean
}

/** State of a connector, updated live; the state's message is in the tooltip. */
export function StateBadge({ connector, live = true }: StateProps) {
  const { t } = useTranslation()
  const [news, setNews] = useState<{ state: string; message: string; timeMs: number } | undefined>(undefined)
  useLive(live ? `connector:${connector.id}` : null, (message) => {
    if (message.kind === 'connector') setNews(message)
  })
  const newer = news !== undefined && news.timeMs > new Date(connector.stateAt).getTime() ? news : undefined
  const state = newer && isState(newer.state) ? newer.state : connector.state
  const message = newer?.message ?? connector.stateMessage
  const look = stateLooks[state]
  return (
    <Tooltip label={message} disabled={message === ''} multiline maw={360}>
      <span>
        <StatusBadge tone={look.tone} icon={look.icon} label={t(`connectors.state.${state}`)} />
      </span>
    </Tooltip>
  )
}
