import { Group, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { faultDetail, faultTitle } from '../../../lib/faults.ts'
import { formatDuration, formatNumber, formatTime, formatValue } from '../../../lib/format.ts'
import { tracePath } from '../../../lib/trace.ts'
import { CopyButton } from '../../../ui/display/CopyButton.tsx'
import { JsonView } from '../../../ui/json/JsonView.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { byteCount, hexLines } from '../hex.ts'
import type { DevicePacket } from '../queries.ts'
import { type Radio, radioOf } from '../radio.ts'
import classes from './packets.module.css'

/** Raw, decoded and radio side by side. */
export function PacketDetails({ packet, deviceId }: { packet: DevicePacket; deviceId: number }) {
  const { t } = useTranslation()
  const radio = radioOf(packet.meta)
  const { lora: _lora, ...rest } = packet.meta
  return (
    <div>
      {packet.error ? (
        <div className={classes.error} role="note">
          <Text size="sm" fw={550}>
            {faultTitle(t, packet.error)}
          </Text>
          <Text size="sm">{faultDetail(t, packet.error)}</Text>
        </div>
      ) : null}
      <div className={classes.sides}>
        <Part
          title={t('devices.packets.raw')}
          aside={
            packet.encoding === 'hex' ? (
              <>
                <Text span size="xs" c="dimmed">
                  {t('devices.packets.bytes', { count: byteCount(packet.payload) })}
                </Text>
                <CopyButton value={packet.payload} label={t('devices.packets.copyHex')} />
              </>
            ) : undefined
          }
        >
          {packet.encoding === 'hex' ? (
            <Hex payload={packet.payload} />
          ) : (
            <JsonView value={parsed(packet.payload)} openLevels={4} />
          )}
        </Part>
        <Part title={t('devices.packets.variables')} aside={<DriverNote packet={packet} />}>
          <Variables packet={packet} />
        </Part>
        {radio ? (
          <Part title={t('devices.packets.radio')}>
            <RadioFacts packet={packet} radio={radio} />
          </Part>
        ) : null}
        <Part title={t('devices.packets.times')}>
          <dl className={classes.facts}>
            <dt>{t('devices.packets.received')}</dt>
            <dd>{formatTime(packet.receivedAt)}</dd>
            <dt>{t('devices.packets.measured')}</dt>
            <dd>{formatTime(packet.time)}</dd>
            <dt>{t('devices.packets.number')}</dt>
            <dd>{packet.id}</dd>
          </dl>
          <RouterLink
            to={tracePath({ packet: packet.id, device: deviceId, at: packet.receivedAt })}
            size="sm"
          >
            {t('trace.follow')}
          </RouterLink>
          {Object.keys(rest).length > 0 ? (
            <details className={classes.more}>
              <summary>{t('devices.packets.meta')}</summary>
              <JsonView value={rest} openLevels={3} plain />
            </details>
          ) : null}
        </Part>
      </div>
    </div>
  )
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={classes.part} aria-label={title}>
      <Group justify="space-between" gap={8} mb={6} wrap="nowrap">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Group gap={6} wrap="nowrap">
          {aside}
        </Group>
      </Group>
      {children}
    </section>
  )
}

function Hex({ payload }: { payload: string }) {
  const { t } = useTranslation()
  if (payload === '')
    return (
      <Text size="sm" c="dimmed">
        {t('devices.packets.empty')}
      </Text>
    )
  return (
    <div className={classes.hex}>
      {hexLines(payload).map((line) => (
        <div key={line.offset} className={classes.hexLine}>
          <span className={classes.offset}>{line.offset}</span>
          <span className={classes.bytes}>{line.bytes}</span>
          <span className={classes.ascii}>{line.ascii}</span>
        </div>
      ))}
    </div>
  )
}

function DriverNote({ packet }: { packet: DevicePacket }) {
  const { t } = useTranslation()
  if (packet.driverId === null) return null
  return (
    <Text span size="xs" c="dimmed">
      <RouterLink to={`/virtual-device-drivers/${packet.driverId}?tab=parser`}>
        {t('devices.packets.driver', { version: packet.driverVersion ?? '–' })}
      </RouterLink>
      {' · '}
      {formatDuration(packet.durationUs / 1000)}
    </Text>
  )
}

function Variables({ packet }: { packet: DevicePacket }) {
  const { t } = useTranslation()
  const entries = Object.entries(packet.variables ?? {})
  if (entries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('devices.packets.noVariables')}
      </Text>
    )
  return (
    <Table verticalSpacing={3} horizontalSpacing={6} withRowBorders={false}>
      <Table.Tbody>
        {entries.map(([key, value]) => (
          <Table.Tr key={key}>
            <Table.Th scope="row" className={classes.variableKey}>
              {key}
            </Table.Th>
            <Table.Td className={classes.variableValue}>{formatValue(value)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function RadioFacts({ packet, radio }: { packet: DevicePacket; radio: Radio }) {
  const { t } = useTranslation()
  return (
    <>
      <dl className={classes.facts}>
        {packet.fPort === null ? null : (
          <>
            <dt>{t('devices.radio.fPort')}</dt>
            <dd>{packet.fPort}</dd>
          </>
        )}
        {packet.fCnt === null ? null : (
          <>
            <dt>{t('devices.radio.fCnt')}</dt>
            <dd>{formatNumber(packet.fCnt, 0)}</dd>
          </>
        )}
        {radio.facts.map(({ key, value, unit }) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>{t(`devices.radio.${key}`)}</dt>
            <dd>{formatValue(value, unit)}</dd>
          </div>
        ))}
      </dl>
      {radio.gateways.length > 0 ? (
        <SimpleTable
          label={t('devices.radio.gateways', { count: radio.gateways.length })}
          rows={radio.gateways}
          rowKey={({ id }) => id}
          spacing={3}
          inset={6}
          columns={[
            {
              key: 'id',
              title: t('devices.radio.gateways', { count: radio.gateways.length }),
              className: classes.gateway,
              render: ({ id }) => id,
            },
            {
              key: 'rssi',
              title: 'RSSI',
              className: classes.number,
              render: ({ rssi }) => formatValue(rssi, 'dBm'),
            },
            {
              key: 'snr',
              title: 'SNR',
              className: classes.number,
              render: ({ snr }) => formatValue(snr, 'dB'),
            },
          ]}
        />
      ) : null}
    </>
  )
}

/** JSON payloads are stored as text; invalid JSON is shown unchanged. */
function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return payload
  }
}
