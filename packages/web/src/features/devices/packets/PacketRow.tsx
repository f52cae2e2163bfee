import { UnstyledButton } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatTime, formatValue } from '../../../lib/format.ts'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import type { DevicePacket } from '../queries.ts'
import { PacketDetails } from './PacketDetails.tsx'
import classes from './packets.module.css'

/** Maximum variables in the collapsed row. */
const previewMax = 5
/** Maximum payload characters in the collapsed row. */
const previewBytes = 60

/** A packet as a row; expanded, it shows all details. */
export function PacketRow(props: {
  packet: DevicePacket
  deviceId: number
  open: boolean
  onToggle: () => void
}) {
  const { packet, open, onToggle } = props
  const { t } = useTranslation()
  const variables = Object.entries(packet.variables ?? {})
  return (
    <li className={classes.item}>
      <UnstyledButton className={classes.row ?? ''} aria-expanded={open} onClick={onToggle}>
        <span className={classes.chevron} data-open={open || undefined}>
          <Icon of={IconChevronRight} size={15} />
        </span>
        <span className={classes.time}>
          {formatTime(packet.receivedAt)}
          <span className={classes.ago}>
            <RelativeTime time={packet.receivedAt} dimmed />
          </span>
        </span>
        <span className={classes.port}>
          {packet.fPort === null ? '' : t('devices.packets.port', { port: packet.fPort })}
        </span>
        <span className={classes.preview}>
          {packet.error ? (
            <StatusBadge
              tone="error"
              label={t(`errors.${packet.error.code}`, { defaultValue: packet.error.code })}
            />
          ) : variables.length === 0 ? (
            <span className={classes.key}>{t('devices.packets.noVariables')}</span>
          ) : (
            <>
              {variables.slice(0, previewMax).map(([key, value]) => (
                <span key={key} className={classes.variable}>
                  <span className={classes.key}>{key}</span> {formatValue(value)}
                </span>
              ))}
              {variables.length > previewMax ? (
                <span className={classes.key}>+{variables.length - previewMax}</span>
              ) : null}
            </>
          )}
        </span>
        <span className={classes.raw}>{packet.payload.slice(0, previewBytes)}</span>
      </UnstyledButton>
      {open ? (
        <div className={classes.opened}>
          <PacketDetails packet={packet} deviceId={props.deviceId} />
        </div>
      ) : null}
    </li>
  )
}
