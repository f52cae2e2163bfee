import { Button, Group, SegmentedControl } from '@mantine/core'
import { useThrottledCallback } from '@mantine/hooks'
import { IconPackages, IconStethoscope } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useLive } from '../../../lib/live.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { LiveDot } from '../../../ui/display/LiveDot.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { SlotParts } from '../../../ui/page/SlotParts.tsx'
import type { Device } from '../queries.ts'
import { packetActions } from '../slots.ts'
import { PacketRow } from './PacketRow.tsx'
import classes from './packets.module.css'

const pageSize = 20
/** Packets arrive in bursts: minimum time between reloads of the first page. */
const refreshEveryMs = 1000

/** The device's packets, newest first, updated live; each expands to its details. */
export function PacketsTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const errorsOnly = one(search, 'errors') === '1'
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const list = usePackets(device.id, errorsOnly)
  const packets = list.data?.pages.flatMap((page) => page.items) ?? []
  const toggle = (id: number) =>
    setOpen((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return (
    <Section
      title={t('devices.packets.title')}
      description={t('devices.packets.text')}
      flush
      actions={
        <Group gap={12}>
          <LiveDot />
          <SlotParts slot={packetActions} props={{ device }} />
          <SegmentedControl
            size="xs"
            aria-label={t('devices.packets.show')}
            value={errorsOnly ? 'errors' : 'all'}
            onChange={(value) => update({ errors: value === 'errors' ? '1' : undefined })}
            data={[
              { value: 'all', label: t('devices.packets.all') },
              { value: 'errors', label: t('devices.packets.errors') },
            ]}
          />
        </Group>
      }
    >
      {list.isError && packets.length === 0 ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
      ) : list.isPending ? (
        <div className={classes.padded}>
          <Loading />
        </div>
      ) : packets.length === 0 ? (
        <NoPackets
          errorsOnly={errorsOnly}
          onWhy={() => update({ tab: 'diagnosis', errors: undefined }, { push: true })}
        />
      ) : (
        <ul className={classes.list}>
          {packets.map((packet) => (
            <PacketRow
              key={packet.id}
              packet={packet}
              deviceId={device.id}
              open={open.has(packet.id)}
              onToggle={() => toggle(packet.id)}
            />
          ))}
        </ul>
      )}
      {list.hasNextPage ? (
        <Group justify="center" p="md">
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t('devices.packets.older')}
          </Button>
        </Group>
      ) : null}
    </Section>
  )
}

function NoPackets({ errorsOnly, onWhy }: { errorsOnly: boolean; onWhy: () => void }) {
  const { t } = useTranslation()
  return errorsOnly ? (
    <EmptyState kind="filtered" title={t('devices.packets.noErrors')} compact />
  ) : (
    <EmptyState
      icon={IconPackages}
      title={t('devices.packets.none')}
      text={t('devices.packets.noneText')}
      compact
      action={
        <Button variant="default" leftSection={<Icon of={IconStethoscope} />} onClick={onWhy}>
          {t('devices.tab.diagnosis')}
        </Button>
      }
    />
  )
}

function usePackets(id: number, errorsOnly: boolean) {
  const cache = useQueryClient()
  const options = api.virtualdevice.packets.infiniteOptions({
    input: (after: { before: string; beforeId: number } | undefined) => ({
      id,
      limit: pageSize,
      errorsOnly,
      ...after,
    }),
    initialPageParam: undefined as { before: string; beforeId: number } | undefined,
    getNextPageParam: (page) => {
      const last = page.items.at(-1)
      return page.more && last ? { before: last.receivedAt, beforeId: last.id } : undefined
    },
  })
  const list = useInfiniteQuery(options)
  const refresh = useThrottledCallback(
    () => void cache.invalidateQueries({ queryKey: options.queryKey }),
    refreshEveryMs,
  )
  useLive(`packets:${id}`, (message) => {
    if (message.kind === 'packet' || message.kind === 'resync') refresh()
  })
  return list
}
