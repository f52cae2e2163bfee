import { IconTemplate } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../lib/api.ts'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { EditTemplate } from './EditTemplate.tsx'

/** Polling interval while the template's devices are updated. */
const askMs = 2_000

/** A device template: its settings, its devices, and changes not applied yet. */
export default function TemplatePage() {
  const { id: param } = useParams({ strict: false }) as { id: string }
  const id = Number(param)
  const { data, error, refetch } = useQuery(
    api.deviceTemplate.get.queryOptions({
      input: { id },
      refetchInterval: ({ state }) => (state.data?.syncState === 'running' ? askMs : false),
    }),
  )
  if (!data)
    return (
      <DetailPage
        icon={IconTemplate}
        title={undefined}
        error={error}
        onRetry={() => void refetch()}
        listPath="/device-templates"
      />
    )
  return <EditTemplate key={id} template={data} />
}
