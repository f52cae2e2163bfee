import type { Dashboard } from '@leitstand/contract/dashboards'
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconFileTypePdf } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { type Range, rangeEnds } from '../../lib/range.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { download } from '../../ui/list/csv.ts'

/** Downloads a dashboard as PDF, with the values of the period that is shown. */
export function PdfButton({ board, range }: { board: Pick<Dashboard, 'id' | 'name'>; range: Range }) {
  const { t } = useTranslation()
  const printing = useMutation({
    mutationFn: async () => {
      const { fromMs, toMs } = rangeEnds(range, Date.now())
      const { body } = await client.dashboards.pdf({
        id: board.id,
        dateRangeStart: new Date(fromMs).toISOString(),
        dateRangeEnd: new Date(toMs).toISOString(),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        language: currentLanguage(),
      })
      download(body.name, body)
    },
    onError: (error) => notifyError(error),
  })
  return (
    <Tooltip label={t('dashboards.pdf')}>
      <ActionIcon
        size={34}
        variant="default"
        aria-label={t('dashboards.pdf')}
        loading={printing.isPending}
        onClick={() => printing.mutate()}
      >
        <Icon of={IconFileTypePdf} />
      </ActionIcon>
    </Tooltip>
  )
}
