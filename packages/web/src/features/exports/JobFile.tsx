import type { BackgroundJob } from '@leitstand/contract/jobs'
import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconDownload, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { download } from '../../ui/list/csv.ts'

/** Downloads or deletes the file of an export. */
export default function JobFile({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [asks, setAsks] = useState(false)
  const saving = useMutation({
    mutationFn: async (name: string) => {
      const { body } = await client.exporting.file({ id: job.id })
      if (!(body instanceof Blob)) throw new Error('the server sent no file')
      download(name, body)
    },
    onError: (error) => notifyError(error),
  })
  const removing = useMutation({
    mutationFn: () => client.exporting.deleteFile({ id: job.id }),
    onError: (error) => notifyError(error),
    onSuccess: () => setAsks(false),
    onSettled: () => cache.invalidateQueries({ queryKey: api.job.key() }),
  })
  const { file } = job
  if (!file) return null
  return (
    <>
      <Button
        size="compact-md"
        leftSection={<Icon of={IconDownload} size={14} />}
        loading={saving.isPending}
        onClick={() => saving.mutate(file.name)}
      >
        {t('exports.download')}
      </Button>
      <Tooltip label={t('exports.deleteFile')}>
        <ActionIcon
          variant="default"
          size={30}
          aria-label={t('exports.deleteFile')}
          onClick={() => setAsks(true)}
        >
          <Icon of={IconTrash} size={14} />
        </ActionIcon>
      </Tooltip>
      <ConfirmDialog
        opened={asks}
        title={t('exports.deleteFile')}
        text={t('exports.deleteFileText', { name: file.name })}
        confirmLabel={t('exports.deleteFile')}
        danger
        busy={removing.isPending}
        onCancel={() => setAsks(false)}
        onConfirm={() => removing.mutate()}
      />
    </>
  )
}
