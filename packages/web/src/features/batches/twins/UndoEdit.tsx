import type { BackgroundJob } from '@leitstand/contract/jobs'
import { Button, Tooltip } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { formatTime } from '../../../lib/format.ts'
import { useCan } from '../../../lib/session.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { notifyError } from '../../../ui/feedback/notify.ts'

/** How often the button asks whether it is still of use. */
const askAgainMs = 15_000

/** Undoes a bulk edit of twins for ten minutes, by another job, which is opened. */
export default function UndoEdit({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const isOver = job.state !== 'created' && job.state !== 'inprogress'
  const mayWrite = can('DigitalTwin', 'write') || can('DigitalTwin', 'manage')
  const { data } = useQuery(
    api.twinUndo.ofJob.queryOptions({
      input: { jobId: job.id },
      enabled: job.type === 'digitaltwin-bulk-edit' && isOver && mayWrite,
      refetchInterval: ({ state }) => (state.data?.undo ? askAgainMs : false),
    }),
  )
  const undo = data?.undo ?? null
  const run = useMutation({
    mutationFn: (id: string) => client.twinUndo.run({ id }),
    onError: (error) => notifyError(error),
    onSuccess: ({ job: started }) => {
      if (started) void navigate({ to: '/background-jobs', search: { job: String(started.id) } })
    },
    onSettled: () => cache.invalidateQueries({ queryKey: api.twinUndo.key() }),
  })
  if (undo === null) return null
  return (
    <Tooltip label={t('twinBulk.undoUntil', { time: formatTime(undo.until) })}>
      <Button
        variant="default"
        size="compact-md"
        leftSection={<Icon of={IconArrowBackUp} size={14} />}
        loading={run.isPending}
        onClick={() => run.mutate(undo.id)}
      >
        {t('common.undo')}
      </Button>
    </Tooltip>
  )
}
