import { Button, Group, Stack, Text } from '@mantine/core'
import { IconArrowRight, IconArrowsSplit2, IconPlus, IconUnlink } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../../ui/feedback/notify.ts'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import { SimpleTable } from '../../../ui/list/SimpleTable.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { useStates } from '../../twins/index.ts'
import type { Device } from '../queries.ts'
import { AddRoute } from './AddRoute.tsx'
import { howText } from './howText.ts'
import { cutRoute, type DataRoute, pathOf, useRoutesChanged } from './routes.ts'

const pageSize = 100

/** States of twins that the device feeds; adds and removes routes. */
export function RoutingTab({ device }: { device: Device }) {
  const { t } = useTranslation()
  const can = useCan()
  const [shown, setShown] = useState(pageSize)
  const [adding, setAdding] = useState(false)
  const [cutting, setCutting] = useState<DataRoute>()
  const states = useStates(device.id)
  const list = useQuery(
    api.virtualdevice.dataRoutes.queryOptions({
      input: { id: device.id, limit: Math.min(shown, 1000) },
      placeholderData: keepPreviousData,
    }),
  )
  const addButton =
    can('DigitalTwin', 'write') && (states.data?.items.length ?? 0) > 0 ? (
      <Button
        variant="default"
        leftSection={<Icon of={IconPlus} size={16} />}
        onClick={() => setAdding(true)}
      >
        {t('devices.routing.add')}
      </Button>
    ) : null
  return (
    <Section
      title={t('devices.routing.title')}
      description={t('devices.routing.text')}
      actions={list.data && list.data.total > 0 ? addButton : null}
      flush
    >
      {list.isError && !list.data ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
      ) : list.data === undefined ? (
        <Loading lines={3} />
      ) : list.data.total === 0 ? (
        <EmptyState
          icon={IconArrowsSplit2}
          title={t('devices.routing.none')}
          text={t('devices.routing.noneText')}
          action={addButton}
          compact
        />
      ) : (
        <RouteTable routes={list.data.items} onCut={setCutting} />
      )}
      {list.data ? (
        <Stack gap="sm" px="md" pb="md">
          {list.data.hidden > 0 ? (
            <Text size="sm" c="dimmed">
              {t('devices.routing.hidden', { count: list.data.hidden })}
            </Text>
          ) : null}
          {list.data.total > list.data.items.length ? (
            <Group justify="center">
              <Button variant="default" loading={list.isFetching} onClick={() => setShown(shown + pageSize)}>
                {t('devices.routing.more', { count: list.data.total - list.data.items.length })}
              </Button>
            </Group>
          ) : null}
        </Stack>
      ) : null}
      {adding ? <AddRoute device={device} onClose={() => setAdding(false)} /> : null}
      <CutRoute device={device} route={cutting} onClose={() => setCutting(undefined)} />
    </Section>
  )
}

function RouteTable({ routes, onCut }: { routes: readonly DataRoute[]; onCut: (route: DataRoute) => void }) {
  const { t } = useTranslation()
  return (
    <SimpleTable
      label={t('devices.routing.title')}
      rows={routes}
      rowKey={(route) => `${route.sourceStateId}-${route.stateId}`}
      inset="md"
      minWidth={560}
      columns={[
        { key: 'from', title: t('devices.routing.from'), render: ({ sourceTitle }) => sourceTitle },
        {
          key: 'to',
          title: t('devices.routing.to'),
          render: (route) => (
            <Group gap={8} wrap="nowrap">
              <Icon of={IconArrowRight} size={15} />
              <RouterLink to={pathOf(route)}>
                {route.twinTitle} › {route.title}
              </RouterLink>
            </Group>
          ),
        },
        { key: 'how', title: t('devices.routing.how'), render: (route) => howText(route, t) },
        {
          key: 'cut',
          title: t('devices.routing.cut'),
          width: 48,
          card: 'menu',
          render: (route) =>
            route.editable ? (
              <RemoveButton
                icon={IconUnlink}
                label={t('devices.routing.cutNamed', {
                  from: route.sourceTitle,
                  to: `${route.twinTitle} › ${route.title}`,
                })}
                onClick={() => onCut(route)}
              />
            ) : null,
        },
      ]}
    />
  )
}

function CutRoute(props: { device: Device; route: DataRoute | undefined; onClose: () => void }) {
  const { device, route, onClose } = props
  const { t } = useTranslation()
  const changed = useRoutesChanged(device.id)
  const [busy, setBusy] = useState(false)
  const cut = async (wanted: DataRoute) => {
    setBusy(true)
    try {
      await cutRoute(wanted)
      notifySuccess(t('devices.routing.cutNote'))
      onClose()
    } catch (error) {
      notifyError(error)
    } finally {
      await changed(wanted.twinId)
      setBusy(false)
    }
  }
  return (
    <ConfirmDialog
      opened={route !== undefined}
      title={t('devices.routing.cutTitle')}
      text={t(route?.sourceCount === 1 ? 'devices.routing.cutText' : 'devices.routing.cutOneText', {
        title: route?.title ?? '',
        twin: route?.twinTitle ?? '',
      })}
      confirmLabel={t('devices.routing.cut')}
      busy={busy}
      onConfirm={() => (route ? void cut(route) : undefined)}
      onCancel={onClose}
    />
  )
}
