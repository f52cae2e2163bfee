import type { BackgroundJob } from '@leitstand/contract/jobs'
import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { download } from '../../ui/list/csv.ts'

/** The failed rows as a file to correct and upload again. */
export function FailedCsv({ job }: { job: BackgroundJob }) {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      const { body } = await client.job.failedCsv({ id: job.id, language: currentLanguage() })
      if (body instanceof Blob) download(`${t('jobs.rows.fileName', { id: job.id })}.csv`, body)
    } catch (error) {
      notifyError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      variant="default"
      size="compact-md"
      leftSection={<Icon of={IconDownload} size={14} />}
      loading={busy}
      onClick={() => void save()}
    >
      {t('jobs.rows.failedCsv')}
    </Button>
  )
}
