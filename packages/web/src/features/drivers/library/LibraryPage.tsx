import { libraryCategories, libraryStates } from '@leitstand/contract/driverLibrary'
import { Button } from '@mantine/core'
import { IconBooks, IconDownload, IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { ListColumn } from '../../../ui/list/types.ts'
import { listInput } from './listInput.ts'
import { type LibraryRow, useTranslated } from './queries.ts'
import { StateBadge } from './StateBadge.tsx'
import { useInstall } from './useInstall.ts'

const path = '/virtual-device-drivers/library'

/** The bundled drivers: search by manufacturer, model or purpose, install with one click. */
export default function LibraryPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const translated = useTranslated()
  const makers = useQuery(api.devicedrivers.library.queryOptions({ input: { limit: 1 }, staleTime: 60_000 }))
  const install = useInstall()
  const installable = makers.data?.installable ?? false
  const action = installable ? (row: LibraryRow) => <RowAction row={row} install={install} /> : undefined
  return (
    <ListPage<LibraryRow>
      name="driver-library"
      title={t('drivers.library.title')}
      description={t('drivers.library.text')}
      columns={columns(t, translated, action)}
      query={(params) => api.devicedrivers.library.queryOptions({ input: listInput(params) })}
      rowKey={(row) => row.key}
      rowHref={(row) => `${path}/${row.key}`}
      rowMenu={(row) => [
        {
          label: t('drivers.open'),
          icon: IconExternalLink,
          onClick: () => void navigate({ to: `/virtual-device-drivers/${row.driverId}` }),
          hidden: row.driverId === null,
        },
        {
          label: t('drivers.library.install'),
          icon: IconDownload,
          onClick: () => install.mutate(row),
          hidden: !installable || row.driverId !== null,
        },
      ]}
      filters={[
        {
          key: 'state',
          label: t('drivers.library.stateLabel'),
          multiple: true,
          options: libraryStates.map((state) => ({
            value: state,
            label: t('drivers.library.stateCount', {
              state: t(`drivers.library.state.${state}`),
              count: makers.data?.counts[state] ?? 0,
            }),
          })),
        },
        {
          key: 'category',
          label: t('drivers.library.categoryLabel'),
          multiple: true,
          options: libraryCategories.map((category) => ({
            value: category,
            label: t(`drivers.library.category.${category}`),
          })),
        },
        {
          key: 'maker',
          label: t('drivers.field.manufacturer'),
          multiple: true,
          options: (makers.data?.manufacturers ?? []).map((maker) => ({ value: maker, label: maker })),
        },
      ]}
      searchPlaceholder={t('drivers.library.search')}
      defaultSort="title"
      empty={
        <EmptyState icon={IconBooks} title={t('drivers.library.title')} text={t('drivers.library.text')} />
      }
    />
  )
}

function RowAction({ row, install }: { row: LibraryRow; install: ReturnType<typeof useInstall> }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  if (row.state === 'current') return null
  return row.state === 'available' ? (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon of={IconDownload} size={14} />}
      loading={install.isPending && install.variables.key === row.key}
      aria-label={t('drivers.library.installOf', { title: row.title })}
      onClick={() => install.mutate(row)}
    >
      {t('drivers.library.install')}
    </Button>
  ) : (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t('drivers.library.lookAt', { title: row.title })}
      onClick={() => void navigate({ to: `${path}/${row.key}` })}
    >
      {t('drivers.library.look')}
    </Button>
  )
}

export function columns(
  t: TFunction,
  translated: ReturnType<typeof useTranslated>,
  action: ((row: LibraryRow) => React.ReactNode) | undefined,
): ListColumn<LibraryRow>[] {
  return [
    {
      key: 'title',
      title: t('drivers.field.title'),
      sortable: true,
      render: (row) => row.title,
      csv: (row) => row.title,
    },
    {
      key: 'manufacturer',
      title: t('drivers.field.manufacturer'),
      sortable: true,
      hideBelow: 'sm',
      render: (row) => row.manufacturer,
      csv: (row) => row.manufacturer,
    },
    {
      key: 'model',
      title: t('drivers.field.model'),
      hideBelow: 'md',
      render: (row) => row.model,
      csv: (row) => row.model,
    },
    {
      key: 'category',
      title: t('drivers.library.categoryLabel'),
      hideBelow: 'xs',
      render: (row) => t(`drivers.library.category.${row.category}`),
      csv: (row) => t(`drivers.library.category.${row.category}`),
    },
    {
      key: 'description',
      title: t('drivers.field.description'),
      hideBelow: 'md',
      render: (row) => translated(row.description),
      csv: (row) => translated(row.description),
    },
    {
      key: 'state',
      title: t('drivers.library.stateLabel'),
      render: (row) => <StateBadge state={row.state} modified={row.modified} />,
      csv: (row) => t(`drivers.library.state.${row.state}`),
    },
    ...(action
      ? [
          {
            key: 'action',
            title: t('drivers.versions.actions'),
            hideBelow: 'xs' as const,
            align: 'right' as const,
            render: action,
          },
        ]
      : []),
  ]
}
