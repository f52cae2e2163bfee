import type { Downlink, DownlinkState } from '@leitstand/contract/downlinks'
import { Text, Title } from '@mantine/core'
import { IconArrowBackUp, IconCheck, IconClockX, IconHourglass, IconSend, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import type { IconType } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { Device } from '../devices/index.ts'
import classes from './downlinks.module.css'

const looks: Record<DownlinkState, { tone: Tone; icon: IconType }> = {
  requested: { tone: 'unknown', icon: IconHourglass },
  sent: { tone: 'accent', icon: IconSend },
  acknowledged: { tone: 'ok', icon: IconCheck },
  failed: { tone: 'error', icon: IconX },
  expired: { tone: 'warning', icon: IconClockX },
  cancelled: { tone: 'unknown', icon: IconArrowBackUp },
}

/** The downlinks of a device with their states and times, newest first. */
export function DownlinkQueue({ device, editable }: { device: Device; editable: boolean }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const cancel = async ({ id }: Downlink) => {
    try {
      await client.downlink.cancel({ id: device.id, downlinkId: id })
      notifySuccess(t('downlinks.withdrawn'))
    } catch (error) {
      notifyError(error)
    } finally {
      await cache.invalidateQueries({ queryKey: api.downlink.key() })
    }
  }
  return (
    <section>
      <ListTable<Downlink>
        name="downlinks"
        heading={
          <>
            <Title order={2}>{t('downlinks.queue')}</Title>
            <Text size="sm" c="dimmed">
              {t('downlinks.queueText')}
            </Text>
          </>
        }
        withSearch={false}
        columns={[
          {
            key: 'what',
            title: t('downlinks.what'),
            render: (downlink) => <What downlink={downlink} />,
            csv: ({ name, port, payload }) => `${name} ${port} ${payload}`.trim(),
          },
          {
            key: 'state',
            title: t('downlinks.state'),
            hideBelow: 'xs',
            render: (downlink) => <State downlink={downlink} />,
            csv: ({ state }) => t(`downlinks.states.${state}`),
          },
          {
            key: 'requestedAt',
            title: t('downlinks.requestedAt'),
            hideBelow: 'sm',
            render: ({ requestedAt, requestedBy }) => (
              <div className={classes.cell}>
                <span className={classes.time}>{formatTime(requestedAt)}</span>
                <Text span size="xs" c="dimmed">
                  {requestedBy}
                </Text>
              </div>
            ),
            csv: ({ requestedAt }) => requestedAt,
          },
          {
            key: 'sentAt',
            title: t('downlinks.sentAt'),
            hideBelow: 'sm',
            render: ({ sentAt }) => (sentAt === null ? '–' : formatTime(sentAt)),
            csv: ({ sentAt }) => sentAt,
          },
          {
            key: 'transmittedAt',
            title: t('downlinks.transmittedAt'),
            hideBelow: 'md',
            render: ({ transmittedAt }) => (transmittedAt === null ? '–' : formatTime(transmittedAt)),
            csv: ({ transmittedAt }) => transmittedAt,
          },
          {
            key: 'endedAt',
            title: t('downlinks.endedAt'),
            hideBelow: 'md',
            render: ({ endedAt }) => (endedAt === null ? '–' : formatTime(endedAt)),
            csv: ({ endedAt }) => endedAt,
          },
        ]}
        query={({ offset, limit }) =>
          api.downlink.list.queryOptions({ input: { id: device.id, offset, limit } })
        }
        rowKey={({ id }) => id}
        {...(editable
          ? {
              rowMenu: (downlink: Downlink) =>
                downlink.state === 'requested'
                  ? [
                      {
                        label: t('downlinks.withdraw'),
                        icon: IconArrowBackUp,
                        onClick: () => void cancel(downlink),
                      },
                    ]
                  : [],
            }
          : {})}
        empty={
          <EmptyState
            icon={IconSend}
            title={t('downlinks.queueNone')}
            text={t('downlinks.queueNoneText')}
            compact
          />
        }
      />
    </section>
  )
}

function What({ downlink }: { downlink: Downlink }) {
  const { t } = useTranslation()
  const { name, port, payload, confirmed } = downlink
  return (
    <div className={classes.cell}>
      <span>{name || t('downlinks.own')}</span>
      <Text span size="xs" c="dimmed">
        {t('downlinks.onPort', { port })}
        {confirmed ? ` · ${t('downlinks.isConfirmed')}` : ''}
      </Text>
      <Text span size="xs" className={classes.mono ?? ''}>
        {payload.toUpperCase()}
      </Text>
      <span className={classes.small}>
        <State downlink={downlink} />
      </span>
    </div>
  )
}

function State({ downlink }: { downlink: Downlink }) {
  const { t } = useTranslation()
  const { state, reason, detail, repeated, nextAttemptAt, attempts } = downlink
  const waits = state === 'requested' && reason !== null && nextAttemptAt !== null
  return (
    <div className={classes.cell}>
      <StatusBadge {...looks[state]} label={t(`downlinks.states.${state}`)} />
      {reason === null ? null : (
        <Text span size="xs" c="dimmed">
          {t(`downlinks.reasons.${reason}`)}
          {detail === '' ? '' : ` (${detail})`}
        </Text>
      )}
      {waits ? (
        <Text span size="xs" c="dimmed">
          {t('downlinks.nextAttempt', { count: attempts, at: formatTime(nextAttemptAt) })}
        </Text>
      ) : null}
      {repeated ? (
        <Text span size="xs" c="dimmed">
          {t('downlinks.repeated')}
        </Text>
      ) : null}
    </div>
  )
}
