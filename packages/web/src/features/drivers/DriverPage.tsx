import { IconCode, IconLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { useCan } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { CreateDriver } from './CreateDriver.tsx'
import { draftStore } from './draft.ts'
import { EditDriver } from './EditDriver.tsx'
import { emptyDriver, toValues } from './values.ts'
import { editedVersion } from './versions/shown.ts'

/**
 * A driver: `/new` creates one (from scratch, from JSON or, with `?copy=`, from another), a number opens it.
 */
export default function DriverPage() {
  const { t } = useTranslation()
  const { id: param } = useParams({ strict: false }) as { id: string }
  const can = useCan()
  if (param !== 'new') return <StoredDriver id={Number(param)} />
  return can('DeviceDriver', 'manage') ? (
    <NewDriver />
  ) : (
    <EmptyState icon={IconLock} title={t('errors.NO_PERMISSION')} />
  )
}

function NewDriver() {
  const [search] = useUrlSearch()
  const copy = one(search, 'copy')
  const source = useQuery({
    ...api.devicedrivers.get.queryOptions({ input: { id: Number(copy) } }),
    enabled: copy !== undefined,
  })
  if (copy !== undefined) {
    if (source.isLoadingError)
      return <ErrorState error={source.error} onRetry={() => void source.refetch()} />
    if (!source.data) return <Loading />
    const values = toValues(source.data)
    return (
      <CreateDriver key={copy} initial={{ ...values, visibility: 'account' }} copyOf={source.data.title} />
    )
  }
  const draft = one(search, 'pasted') === '1' ? draftStore.get() : null
  return <CreateDriver key={draft ? 'pasted' : 'empty'} initial={draft ?? emptyDriver()} />
}

function StoredDriver({ id }: { id: number }) {
  const [search] = useUrlSearch()
  const latest = useQuery(api.devicedrivers.get.queryOptions({ input: { id } }))
  const wanted = Number(one(search, 'version'))
  const isKnown = latest.data?.versions.some(({ number }) => number === wanted)
  const number = latest.data && (isKnown ? wanted : editedVersion(latest.data))
  const other = useQuery(
    api.devicedrivers.get.queryOptions({
      input: { id, number: number ?? 0 },
      enabled: number !== undefined && number !== latest.data?.number,
    }),
  )
  const data = number === latest.data?.number ? latest.data : other.data
  const failed = latest.data ? other : latest
  if (!data)
    return (
      <DetailPage
        icon={IconCode}
        title={undefined}
        error={failed.error}
        onRetry={() => void failed.refetch()}
        listPath="/virtual-device-drivers"
      />
    )
  return <EditDriver key={`${id} ${data.number}`} driver={data} />
}
