import { IconTemplate } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../lib/api.ts'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { EditTemplate } from './EditTemplate.tsx'

/** While its devices are brought in line, a template is asked for this often. */
const askMs = 2_000

/** A device template: what its devices get, which they are, and what has not reached them yet. */
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
